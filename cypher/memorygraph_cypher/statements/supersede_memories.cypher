// name: supersede_memories
// Ties what holds now to what it took the place of.
// params: end_user_id, rows

UNWIND $rows AS row
OPTIONAL MATCH (s1:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m1:MemorySummary {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (s2:Statement {end_user_id: $end_user_id, id: row.superseded_id})
OPTIONAL MATCH (m2:MemorySummary {end_user_id: $end_user_id, id: row.superseded_id})
WITH coalesce(s1, m1) AS new, coalesce(s2, m2) AS old, row
  WHERE new IS NOT NULL AND old IS NOT NULL
CREATE (new)-[:SUPERSEDES {end_user_id: $end_user_id, at: row.at, reason: row.reason}]->(old)
RETURN count(*) AS superseded
