// name: forget_statements
// Replaces statements by their stubs; their relationships go with them.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (n:Statement {end_user_id: $end_user_id, id: row.id})
DETACH DELETE n
CREATE (f:Forgotten {end_user_id: $end_user_id, id: row.id})
SET f += row.properties
RETURN f.id AS id
