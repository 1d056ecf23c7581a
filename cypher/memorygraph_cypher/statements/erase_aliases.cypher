// name: erase_aliases
// Removes the keys of single aliases of entities.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: row.name_key})
  WHERE a.entity_id = row.entity_id
DELETE a
