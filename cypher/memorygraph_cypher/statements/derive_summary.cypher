// name: derive_summary
// Ties a summary to the stubs it stands for.
// params: end_user_id, summary_id, rows

MATCH (m:MemorySummary {end_user_id: $end_user_id, id: $summary_id})
UNWIND $rows AS row
MATCH (f:Forgotten {end_user_id: $end_user_id, id: row.id})
CREATE (m)-[d:DERIVED_FROM {end_user_id: $end_user_id}]->(f)
SET d += row.properties
RETURN count(d) AS derived
