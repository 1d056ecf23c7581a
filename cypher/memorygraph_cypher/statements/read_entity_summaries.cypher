// name: read_entity_summaries
// The newest summaries that mention an entity, of those recorded by an instant.
// params: end_user_id, id, recorded_at, page

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})<-[:MENTIONS {end_user_id: $end_user_id}]-(m:MemorySummary {end_user_id: $end_user_id})
  WHERE m.status = 'active' AND ($recorded_at IS NULL OR m.recorded_at <= $recorded_at)
WITH DISTINCT m
ORDER BY m.recorded_at DESC, m.id DESC
LIMIT $page
RETURN m {.*, embedding: null, search_text: null} AS properties,
  [(m)-[:MENTIONS {end_user_id: $end_user_id}]->(o:Entity {end_user_id: $end_user_id}) | {id: o.id, name: o.name, kind: o.kind}] AS entities
