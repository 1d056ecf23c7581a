// name: erase_entities
// Removes entities with all that ties them, and the keys of their aliases.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (n:Entity {end_user_id: $end_user_id, id: id})
DETACH DELETE n
WITH DISTINCT id
MATCH (a:EntityAlias {end_user_id: $end_user_id})
  WHERE a.entity_id = id
DELETE a
