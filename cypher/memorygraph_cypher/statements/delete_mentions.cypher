// name: delete_mentions
// Has statements and summaries no longer mention an entity in a role.
// params: end_user_id, entity_id, rows

MATCH (e:Entity {end_user_id: $end_user_id, id: $entity_id})
UNWIND $rows AS row
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})-[r:MENTIONS {end_user_id: $end_user_id}]->(e)
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: row.id})-[q:MENTIONS {end_user_id: $end_user_id}]->(e)
WITH row, coalesce(r, q) AS mention
  WHERE mention IS NOT NULL AND coalesce(mention.role, '') = row.role
DELETE mention
