// name: carry_episodes
// Gives a summary the episodes of its originals.
// params: end_user_id, summary_id, rows

MATCH (m:MemorySummary {end_user_id: $end_user_id, id: $summary_id})
UNWIND $rows AS row
MATCH (p:Episode {end_user_id: $end_user_id, id: row.id})
CREATE (m)-[r:FROM_EPISODE {end_user_id: $end_user_id}]->(p)
SET r += row.properties
RETURN count(r) AS carried
