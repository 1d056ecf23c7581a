// name: postpone_fusion
// Has what could not be grouped looked at again later.
// params: end_user_id, ids, until

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n
  WHERE n IS NOT NULL
SET n.fusable_at = $until
RETURN count(n) AS postponed
