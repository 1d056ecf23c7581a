// name: read_mentioning
// Statements and summaries that mention one of the entities.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (e:Entity {end_user_id: $end_user_id, id: id})
UNWIND [(s:Statement {end_user_id: $end_user_id})-[:MENTIONS {end_user_id: $end_user_id}]->(e) | s.id]
  + [(m:MemorySummary {end_user_id: $end_user_id})-[:MENTIONS {end_user_id: $end_user_id}]->(e) | m.id] AS mentioning
RETURN DISTINCT mentioning AS id
