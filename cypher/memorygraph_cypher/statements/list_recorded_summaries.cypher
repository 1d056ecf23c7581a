// name: list_recorded_summaries
// A page of summaries recorded by an instant, newest first: those not retired by then, or all.
// params: end_user_id, before_id, at, retired, page

MATCH (n:MemorySummary {end_user_id: $end_user_id})
  WHERE n.id < $before_id AND n.recorded_at <= $at AND ($retired OR n.retired_at IS NULL OR n.retired_at > $at)
WITH n
ORDER BY n.id DESC
LIMIT $page
RETURN 'MemorySummary' AS type, n {.*, embedding: null, search_text: null} AS properties,
  [(n)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}] AS entities
