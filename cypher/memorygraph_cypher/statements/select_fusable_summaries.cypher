// name: select_fusable_summaries
// A page of summaries that may be fused now, coldest first, with their entities.
// params: end_user_id, now, after_at, after_id, page

MATCH (n:MemorySummary {end_user_id: $end_user_id})
  WHERE n.fusable_at <= $now AND (n.fusable_at > $after_at OR (n.fusable_at = $after_at AND n.id > $after_id))
WITH n
ORDER BY n.fusable_at, n.id
LIMIT $page
RETURN n.id AS id, n.fusable_at AS fusable_at, n.cold_at AS cold_at, n.project AS project,
  [(n)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name}] AS entities
