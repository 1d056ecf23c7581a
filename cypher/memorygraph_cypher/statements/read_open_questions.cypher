// name: read_open_questions
// The open contradictions of the named statements: id is of the one that was written later, other_id of the earlier.
// params: end_user_id, ids

UNWIND $ids AS asked
MATCH (n:Statement {end_user_id: $end_user_id, id: asked})
RETURN [(n)-[c:CONTRADICTS {end_user_id: $end_user_id}]->(o:Statement {end_user_id: $end_user_id}) WHERE c.resolved_at IS NULL |
    {id: n.id, other_id: o.id, opened_at: c.opened_at, reason: c.reason}]
  + [(n)<-[c:CONTRADICTS {end_user_id: $end_user_id}]-(o:Statement {end_user_id: $end_user_id}) WHERE c.resolved_at IS NULL |
    {id: o.id, other_id: n.id, opened_at: c.opened_at, reason: c.reason}] AS questions
