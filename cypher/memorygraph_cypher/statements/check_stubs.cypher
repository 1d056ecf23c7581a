// name: check_stubs
// A page of stubs in the order of their ids, with the summaries that stand for each and the node it should have replaced.
// params: end_user_id, after, page

MATCH (n:Forgotten {end_user_id: $end_user_id})
  WHERE n.id > $after
WITH n
ORDER BY n.id
LIMIT $page
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: n.id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: n.id})
RETURN properties(n) AS properties, s IS NOT NULL OR m IS NOT NULL AS lives,
  [(h:MemorySummary {end_user_id: $end_user_id})-[:DERIVED_FROM {end_user_id: $end_user_id}]->(n) | h.id] AS summaries
