// name: read_lineage
// The stubs a summary was derived from.
// params: end_user_id, summary_id

MATCH (m:MemorySummary {end_user_id: $end_user_id, id: $summary_id})-[d:DERIVED_FROM {end_user_id: $end_user_id}]->(f:Forgotten {end_user_id: $end_user_id})
RETURN properties(f) AS properties, d.cycle_id AS cycle_id, d.original_type AS original_type, d.at AS at
ORDER BY f.id
