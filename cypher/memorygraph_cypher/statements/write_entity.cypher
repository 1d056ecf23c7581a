// name: write_entity
// Changes properties of an entity; null takes one away.
// params: end_user_id, id, properties

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})
SET e += $properties
RETURN e.id AS id
