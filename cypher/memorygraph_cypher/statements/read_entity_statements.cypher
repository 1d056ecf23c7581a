// name: read_entity_statements
// A page of statements that mention an entity, newest first: those that hold, or held at an instant as believed now.
// params: end_user_id, id, before_at, before_id, valid_at, now, any_status, any_trust, page

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})<-[:MENTIONS {end_user_id: $end_user_id}]-(s:Statement {end_user_id: $end_user_id})
  WHERE (s.recorded_at < $before_at OR (s.recorded_at = $before_at AND s.id < $before_id))
    AND ($any_trust OR s.trust = 'accepted')
    AND ($any_status OR s.expires_at IS NULL OR s.expires_at > $now)
    AND ($any_status OR s.status = 'active' OR (s.status = 'superseded' AND $valid_at IS NOT NULL))
WITH DISTINCT s, coalesce(s.valid_from, CASE WHEN s.occurred_at = s.recorded_at THEN null ELSE s.occurred_at END) AS valid_from
  WHERE $valid_at IS NULL OR (
    coalesce(valid_from, $valid_at) <= $valid_at
    AND (s.valid_to IS NULL OR s.valid_to > $valid_at)
    AND (s.status <> 'superseded' OR s.superseded_from IS NULL OR s.superseded_from > $valid_at))
WITH s
ORDER BY s.recorded_at DESC, s.id DESC
LIMIT $page
RETURN 'Statement' AS type, s {.*, embedding: null, search_text: null} AS properties,
  [(s)-[:MENTIONS {end_user_id: $end_user_id}]->(o:Entity {end_user_id: $end_user_id}) | {id: o.id, name: o.name, kind: o.kind}] AS entities
