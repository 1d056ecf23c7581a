// name: carry_mentions
// Gives a summary the mentions of its originals.
// params: end_user_id, summary_id, rows

MATCH (m:MemorySummary {end_user_id: $end_user_id, id: $summary_id})
UNWIND $rows AS row
MATCH (e:Entity {end_user_id: $end_user_id, id: row.id})
CREATE (m)-[r:MENTIONS {end_user_id: $end_user_id}]->(e)
SET r += row.properties
RETURN count(r) AS carried
