// name: read_review_queue
// A page of the active statements that wait for a review, those that wait longest first, with what contradicts them.
// params: end_user_id, since, after_id, now, page

MATCH (s:Statement {end_user_id: $end_user_id})
  WHERE s.review_since >= $since AND s.status = 'active' AND (s.review_since > $since OR s.id > $after_id)
    AND (s.expires_at IS NULL OR s.expires_at > $now)
WITH s
ORDER BY s.review_since, s.id
LIMIT $page
RETURN s {.*, embedding: null, search_text: null} AS properties,
  [(s)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}] AS entities,
  [(s)-[c:CONTRADICTS {end_user_id: $end_user_id}]-(o:Statement {end_user_id: $end_user_id}) WHERE c.resolved_at IS NULL |
    {id: o.id, text: o.text, reason: c.reason}] AS contradictions
