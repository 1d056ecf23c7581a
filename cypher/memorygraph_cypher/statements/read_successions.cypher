// name: read_successions
// What memories had taken the place of, and what took theirs.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH id, coalesce(s, m) AS n
  WHERE n IS NOT NULL
RETURN id,
  [(n)-[r:SUPERSEDES {end_user_id: $end_user_id}]->(o:Statement {end_user_id: $end_user_id}) | {id: o.id, at: r.at}] AS statements,
  [(n)-[r:SUPERSEDES {end_user_id: $end_user_id}]->(o:MemorySummary {end_user_id: $end_user_id}) | {id: o.id, at: r.at}] AS summaries,
  [(n)<-[:SUPERSEDES {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | o.id] AS superseded_by
