// name: read_near
// The live of the named statements and summaries, as far as they are compared with another.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n, s IS NULL AS is_summary
  WHERE n IS NOT NULL AND n.status = 'active' AND n.trust <> 'rejected'
RETURN n.id AS id, n.text AS text, n.kind AS kind, n.trust AS trust, n.speaker AS speaker, n.subject AS subject,
  n.predicate AS predicate, n.value AS value, n.project AS project, n.session_id AS session_id, n.valid_from AS valid_from, n.valid_to AS valid_to,
  n.expires_at AS expires_at, n.functional AS functional,
  is_summary
