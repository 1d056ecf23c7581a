// name: read_changed_statement_rows
// What recall needs of the named statement nodes.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (n:Statement {end_user_id: $end_user_id, id: id})
RETURN n.id AS id, 'Statement' AS type, coalesce(n.search_text, n.past_search_text) AS search_text, n.embedding AS embedding,
  n.kind AS kind, n.status AS status, n.trust AS trust, n.tags AS tags, n.project AS project, n.session_id AS session_id,
  n.expires_at AS expires_at, n.recorded_at AS recorded_at, n.retired_at AS retired_at, n.superseded_from AS superseded_from,
  n.valid_from AS valid_from, n.valid_to AS valid_to, n.last_confirmed_at AS last_confirmed_at, n.confidence AS confidence,
  n.source_count AS source_count, n.occurred_at AS occurred_at, n.covers_from AS covers_from
