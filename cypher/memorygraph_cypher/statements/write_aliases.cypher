// name: write_aliases
// Has keys of aliases lead to an entity.
// params: end_user_id, rows

UNWIND $rows AS row
MERGE (a:EntityAlias {end_user_id: $end_user_id, name_key: row.name_key, kind: row.kind})
SET a.entity_id = row.entity_id
RETURN count(a) AS written
