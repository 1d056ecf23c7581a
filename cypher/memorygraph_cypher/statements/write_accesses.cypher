// name: write_accesses
// Writes access histories with the instants that follow from them.
// params: end_user_id, rows

UNWIND $rows AS row
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (e:Entity {end_user_id: $end_user_id, id: row.id})
WITH coalesce(s, m, e) AS n, row
  WHERE n IS NOT NULL
SET n += row.properties
RETURN count(n) AS written
