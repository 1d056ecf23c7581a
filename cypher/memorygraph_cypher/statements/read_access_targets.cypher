// name: read_access_targets
// Access histories of statements, summaries and entities; of what was fused, its summary's.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (e:Entity {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (h:MemorySummary {end_user_id: $end_user_id})-[:DERIVED_FROM {end_user_id: $end_user_id}]->(f:Forgotten {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m, e, h) AS n, e IS NOT NULL AS is_entity
  WHERE n IS NOT NULL
RETURN DISTINCT n.id AS id, n.access_times AS access_times, n.access_count AS access_count,
  n.first_access_at AS first_access_at, n.importance AS importance, n.kind AS kind, n.status AS status,
  n.trust AS trust, n.pinned AS pinned, n.hold_until AS hold_until, n.open_questions AS open_questions,
  n.review_since AS review_since, is_entity
