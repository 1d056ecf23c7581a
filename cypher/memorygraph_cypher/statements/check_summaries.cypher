// name: check_summaries
// A page of summaries in full, in the order of their ids, with the kinds of the originals they stand for.
// params: end_user_id, after, page

MATCH (n:MemorySummary {end_user_id: $end_user_id})
  WHERE n.id > $after
WITH n
ORDER BY n.id
LIMIT $page
RETURN properties(n) AS properties,
  [(n)-[:DERIVED_FROM {end_user_id: $end_user_id}]->(f:Forgotten {end_user_id: $end_user_id}) | f.original_type] AS originals,
  [(n)<-[:SUPERSEDES {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | o.id] AS superseded_by
