// name: check_aliases
// Aliases of entities that are not there.
// params: end_user_id

MATCH (a:EntityAlias {end_user_id: $end_user_id})
OPTIONAL MATCH (e:Entity {end_user_id: $end_user_id, id: a.entity_id})
WITH a, e
  WHERE e IS NULL
RETURN a.name_key AS name_key, a.entity_id AS entity_id
