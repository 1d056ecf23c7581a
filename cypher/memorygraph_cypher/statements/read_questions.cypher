// name: read_questions
// When the contradictions of some statements were opened and answered.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (n:Statement {end_user_id: $end_user_id, id: id})-[r:CONTRADICTS {end_user_id: $end_user_id}]-(:Statement {end_user_id: $end_user_id})
RETURN id, r.opened_at AS opened_at, r.resolved_at AS resolved_at
