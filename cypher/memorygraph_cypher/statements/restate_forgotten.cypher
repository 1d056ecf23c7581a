// name: restate_forgotten
// Marks a statement as saying again what was forgotten.
// params: end_user_id, statement_id, forgotten_ids, at

MATCH (s:Statement {end_user_id: $end_user_id, id: $statement_id})
UNWIND $forgotten_ids AS forgotten_id
MATCH (f:Forgotten {end_user_id: $end_user_id, id: forgotten_id})
CREATE (s)-[:RESTATES {end_user_id: $end_user_id, at: $at}]->(f)
RETURN f.id AS id
