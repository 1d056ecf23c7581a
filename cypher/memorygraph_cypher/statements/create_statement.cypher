// name: create_statement
// Creates a statement.
// params: end_user_id, properties

CREATE (s:Statement {end_user_id: $end_user_id})
SET s += $properties
RETURN s.id AS id
