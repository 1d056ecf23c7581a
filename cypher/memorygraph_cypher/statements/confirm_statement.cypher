// name: confirm_statement
// Counts that a value was said again.
// params: end_user_id, statement_id, properties

MATCH (s:Statement {end_user_id: $end_user_id, id: $statement_id})
SET s += $properties
RETURN s.id AS id
