// name: read_turn
// The statement of a turn that is already known, or the summary it was fused into.
// params: end_user_id, session_id, position, content_hash

MATCH (p:Episode {end_user_id: $end_user_id, session_id: $session_id, position: $position, content_hash: $content_hash})
RETURN p.id AS episode_id,
  [(s:Statement {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | s.id] AS statements,
  [(m:MemorySummary {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | m.id] AS summaries
