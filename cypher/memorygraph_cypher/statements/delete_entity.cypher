// name: delete_entity
// Removes an entity with all its relationships.
// params: end_user_id, id

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})
DETACH DELETE e
