// name: read_forgotten
// Stubs of fused originals, with the live summary each went into.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (f:Forgotten {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id})-[:DERIVED_FROM {end_user_id: $end_user_id}]->(f)
RETURN properties(f) AS properties, m.id AS summary_id
