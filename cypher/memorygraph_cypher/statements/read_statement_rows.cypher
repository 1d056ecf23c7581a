// name: read_statement_rows
// What recall needs of every statement of the user.
// params: end_user_id

MATCH (n:Statement {end_user_id: $end_user_id})
RETURN n.id AS id, 'Statement' AS type, n.search_text AS search_text, n.embedding AS embedding, n.kind AS kind, n.status AS status,
  n.trust AS trust, n.tags AS tags, n.project AS project, n.session_id AS session_id, n.expires_at AS expires_at
