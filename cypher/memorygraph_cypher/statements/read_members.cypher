// name: read_members
// What is about to be fused: its properties, and each relationship with its other end.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH s, m, coalesce(s, m) AS n
  WHERE n IS NOT NULL
OPTIONAL MATCH (n)-[out {end_user_id: $end_user_id}]->(target {end_user_id: $end_user_id})
WITH s, m, n, collect(CASE WHEN out IS NULL THEN null ELSE {type: type(out), direction: 'out', properties: properties(out), label: head(labels(target)), id: target.id, name: target.name, kind: target.kind} END) AS outgoing
OPTIONAL MATCH (n)<-[in {end_user_id: $end_user_id}]-(source {end_user_id: $end_user_id})
WITH s, m, n, outgoing, collect(CASE WHEN in IS NULL THEN null ELSE {type: type(in), direction: 'in', properties: properties(in), label: head(labels(source)), id: source.id, name: source.name, kind: source.kind} END) AS incoming
RETURN CASE WHEN s IS NULL THEN 'MemorySummary' ELSE 'Statement' END AS type, properties(n) AS properties,
  outgoing + incoming AS relationships
