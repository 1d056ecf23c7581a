// name: create_mentions
// Has statements and summaries mention an entity.
// params: end_user_id, entity_id, rows

MATCH (e:Entity {end_user_id: $end_user_id, id: $entity_id})
UNWIND $rows AS row
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: row.id})
WITH e, row, coalesce(s, m) AS n
  WHERE n IS NOT NULL
CREATE (n)-[r:MENTIONS {end_user_id: $end_user_id}]->(e)
SET r += row.properties
RETURN count(r) AS created
