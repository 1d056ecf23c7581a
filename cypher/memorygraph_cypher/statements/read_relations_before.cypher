// name: read_relations_before
// What the relations of retired statements were before those were retired.
// params: end_user_id, statement_ids

UNWIND $statement_ids AS statement_id
MATCH (s:Statement {end_user_id: $end_user_id, id: statement_id})
  WHERE s.relations_before IS NOT NULL
RETURN s.id AS id, s.relations_before AS relations_before
