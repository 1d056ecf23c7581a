// name: read_entities
// Entities in full.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (e:Entity {end_user_id: $end_user_id, id: id})
RETURN properties(e) AS properties
