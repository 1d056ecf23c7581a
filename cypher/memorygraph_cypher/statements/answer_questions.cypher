// name: answer_questions
// Closes open contradictions, with who decided and how.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:Statement {end_user_id: $end_user_id, id: row.id})
MATCH (b:Statement {end_user_id: $end_user_id, id: row.other_id})
MATCH (a)-[c:CONTRADICTS {end_user_id: $end_user_id}]->(b)
  WHERE c.resolved_at IS NULL
SET c.resolved_at = row.at, c.resolution = row.resolution, c.actor = row.actor
RETURN count(c) AS answered
