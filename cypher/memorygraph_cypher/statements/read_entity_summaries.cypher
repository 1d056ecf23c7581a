// name: read_entity_summaries
// The newest summaries that mention an entity, those that hold or those of any status.
// params: end_user_id, id, now, any_status, page

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})<-[:MENTIONS {end_user_id: $end_user_id}]-(m:MemorySummary {end_user_id: $end_user_id})
  WHERE $any_status OR (m.status = 'active' AND (m.expires_at IS NULL OR m.expires_at > $now))
WITH DISTINCT m
ORDER BY m.recorded_at DESC, m.id DESC
LIMIT $page
RETURN 'MemorySummary' AS type, m {.*, embedding: null, search_text: null} AS properties,
  [(m)-[:MENTIONS {end_user_id: $end_user_id}]->(o:Entity {end_user_id: $end_user_id}) | {id: o.id, name: o.name, kind: o.kind}] AS entities
