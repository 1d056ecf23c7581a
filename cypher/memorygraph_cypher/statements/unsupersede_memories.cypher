// name: unsupersede_memories
// Unties memories from what had taken their place.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n
  WHERE n IS NOT NULL
MATCH (n)<-[r:SUPERSEDES {end_user_id: $end_user_id}]-({end_user_id: $end_user_id})
DELETE r
RETURN count(*) AS untied
