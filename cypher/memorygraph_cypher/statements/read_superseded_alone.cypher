// name: read_superseded_alone
// What only the named memories had taken the place of.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n
  WHERE n IS NOT NULL
MATCH (n)-[:SUPERSEDES {end_user_id: $end_user_id}]->(old {end_user_id: $end_user_id})
  WHERE NOT old.id IN $ids
WITH DISTINCT old
WITH old, [(old)<-[:SUPERSEDES {end_user_id: $end_user_id}]-(by {end_user_id: $end_user_id}) | by.id] AS holders
  WHERE all(holder IN holders WHERE holder IN $ids)
RETURN old.id AS id
