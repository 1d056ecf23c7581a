// name: read_erasable
// What bears one of the ids, whatever it is.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (f:Forgotten {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (e:Entity {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (p:Episode {end_user_id: $end_user_id, id: id})
WITH id, coalesce(s, m, f, e, p) AS n, CASE
    WHEN s IS NOT NULL THEN 'Statement' WHEN m IS NOT NULL THEN 'MemorySummary' WHEN f IS NOT NULL THEN 'Forgotten'
    WHEN e IS NOT NULL THEN 'Entity' ELSE 'Episode' END AS type
  WHERE n IS NOT NULL
RETURN id, type, properties(n) AS properties
