// name: read_changed_summary_rows
// What recall needs of the named summary nodes.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (n:MemorySummary {end_user_id: $end_user_id, id: id})
RETURN n.id AS id, 'MemorySummary' AS type, n.search_text AS search_text, n.embedding AS embedding, n.kind AS kind, n.status AS status,
  n.trust AS trust, n.tags AS tags, n.project AS project, n.session_id AS session_id, n.expires_at AS expires_at
