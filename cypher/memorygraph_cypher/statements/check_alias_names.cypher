// name: check_alias_names
// Names that entities have as aliases, and that do not lead to them.
// params: end_user_id

MATCH (e:Entity {end_user_id: $end_user_id})
  WHERE e.alias_keys IS NOT NULL
UNWIND e.alias_keys AS name_key
OPTIONAL MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: name_key, entity_id: e.id})
WITH e.id AS entity_id, name_key, count(a) AS leading
  WHERE leading = 0
RETURN name_key, entity_id
