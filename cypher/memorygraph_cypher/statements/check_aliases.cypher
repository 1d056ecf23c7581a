// name: check_aliases
// Aliases that lead to no entity, or to one that does not bear them.
// params: end_user_id

MATCH (a:EntityAlias {end_user_id: $end_user_id})
OPTIONAL MATCH (e:Entity {end_user_id: $end_user_id, id: a.entity_id})
WITH a, e
  WHERE e IS NULL OR NOT (a.name_key = e.name_key OR a.name_key IN coalesce(e.alias_keys, []))
RETURN a.name_key AS name_key, a.entity_id AS entity_id, e IS NULL AS is_lost
