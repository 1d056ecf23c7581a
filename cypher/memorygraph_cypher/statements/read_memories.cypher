// name: read_memories
// Statements and summaries in full, with their entities, and where the events stand.
// params: end_user_id, ids

MATCH (u:EndUser {end_user_id: $end_user_id})
UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH u, id, s, m, coalesce(s, m) AS n
RETURN u.seq AS seq, id, CASE WHEN s IS NULL THEN 'MemorySummary' ELSE 'Statement' END AS type,
  n {.*, embedding: null, search_text: null} AS properties,
  CASE WHEN n IS NULL THEN [] ELSE
    [(n)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}]
  END AS entities
