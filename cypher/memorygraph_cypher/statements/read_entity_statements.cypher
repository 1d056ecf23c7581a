// name: read_entity_statements
// A page of statements that mention an entity, newest first: those that hold, or held at an instant as believed at another.
// params: end_user_id, id, before_at, before_id, past, valid_at, believed_at, now, any_status, any_trust, page

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})<-[:MENTIONS {end_user_id: $end_user_id}]-(s:Statement {end_user_id: $end_user_id})
  WHERE (s.recorded_at < $before_at OR (s.recorded_at = $before_at AND s.id < $before_id))
    AND s.recorded_at <= $believed_at
    AND ($any_trust OR s.trust = 'accepted')
    AND ($any_status OR s.expires_at IS NULL OR s.expires_at > $now)
    AND ($any_status OR $past OR s.status = 'active')
WITH DISTINCT s, s.retired_at IS NOT NULL AND s.retired_at <= $believed_at AS retired
  WHERE ($any_status OR NOT $past OR NOT retired OR (s.status = 'superseded' AND $valid_at IS NOT NULL))
    AND ($valid_at IS NULL OR (
      (s.valid_from IS NULL OR s.valid_from <= $valid_at)
      AND (s.valid_to IS NULL OR s.valid_to > $valid_at)
      AND (NOT retired OR s.status <> 'superseded' OR s.superseded_from IS NULL OR s.superseded_from > $valid_at)))
WITH s
ORDER BY s.recorded_at DESC, s.id DESC
LIMIT $page
RETURN s {.*, embedding: null, search_text: null} AS properties,
  [(s)-[:MENTIONS {end_user_id: $end_user_id}]->(o:Entity {end_user_id: $end_user_id}) | {id: o.id, name: o.name, kind: o.kind}] AS entities
