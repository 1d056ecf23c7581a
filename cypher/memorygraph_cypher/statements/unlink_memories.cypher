// name: unlink_memories
// Removes every link between pairs of statements and summaries.
// params: end_user_id, rows

UNWIND $rows AS row
OPTIONAL MATCH (s1:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m1:MemorySummary {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (s2:Statement {end_user_id: $end_user_id, id: row.other_id})
OPTIONAL MATCH (m2:MemorySummary {end_user_id: $end_user_id, id: row.other_id})
WITH coalesce(s1, m1) AS a, coalesce(s2, m2) AS b
  WHERE a IS NOT NULL AND b IS NOT NULL
MATCH (a)-[r:SIMILAR_TO {end_user_id: $end_user_id}]-(b)
DELETE r
RETURN count(*) AS unlinked
