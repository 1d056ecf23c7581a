// name: question_statements
// Opens the question which of two statements holds.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (a:Statement {end_user_id: $end_user_id, id: row.id})
MATCH (b:Statement {end_user_id: $end_user_id, id: row.other_id})
CREATE (a)-[:CONTRADICTS {end_user_id: $end_user_id, opened_at: row.at, reason: row.reason}]->(b)
RETURN count(*) AS opened
