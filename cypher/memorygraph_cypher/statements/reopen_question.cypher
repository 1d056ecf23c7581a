// name: reopen_question
// Opens a contradiction that was answered, as if it had not been.
// params: end_user_id, id, other_id, resolved_at

MATCH (a:Statement {end_user_id: $end_user_id, id: $id})
MATCH (b:Statement {end_user_id: $end_user_id, id: $other_id})
MATCH (a)-[c:CONTRADICTS {end_user_id: $end_user_id}]->(b)
  WHERE c.resolved_at = $resolved_at
SET c.resolved_at = null, c.resolution = null, c.actor = null
RETURN count(c) AS reopened
