// name: read_episodes
// Episodes with what was taken from them.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (p:Episode {end_user_id: $end_user_id, id: id})
RETURN properties(p) AS properties,
  [(s:Statement {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | {id: s.id, kind: s.kind, source_count: s.source_count}] AS statements,
  [(m:MemorySummary {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | m.id] AS summaries
