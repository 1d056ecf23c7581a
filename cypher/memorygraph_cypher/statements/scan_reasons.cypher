// name: scan_reasons
// The relationships of a user that carry words of somebody's own.
// params: end_user_id

MATCH (a {end_user_id: $end_user_id})-[r {end_user_id: $end_user_id}]->(b {end_user_id: $end_user_id})
  WHERE r.reason IS NOT NULL OR r.resolution IS NOT NULL OR r.predicate IS NOT NULL OR r.role IS NOT NULL
RETURN type(r) AS type, a.id AS source_id, b.id AS target_id, properties(r) AS properties
