// name: delete_aliases
// Removes keys of aliases that lead to an entity.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: row.name_key, kind: row.kind})
  WHERE a.entity_id = row.entity_id
DELETE a
