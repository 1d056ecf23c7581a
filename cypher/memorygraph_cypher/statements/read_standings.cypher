// name: read_standings
// Whether some statements and summaries hold.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n
  WHERE n IS NOT NULL
RETURN n.id AS id, n.status AS status, n.trust AS trust, n.superseded_from AS superseded_from
