// name: restate_forgotten
// Marks statements as saying again what was forgotten.
// params: end_user_id, rows, at

UNWIND $rows AS row
MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
UNWIND row.forgotten_ids AS forgotten_id
MATCH (f:Forgotten {end_user_id: $end_user_id, id: forgotten_id})
CREATE (s)-[:RESTATES {end_user_id: $end_user_id, at: $at}]->(f)
RETURN f.id AS id
