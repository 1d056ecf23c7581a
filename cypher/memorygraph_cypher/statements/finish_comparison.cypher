// name: finish_comparison
// Notes that a statement has been compared.
// params: end_user_id, id

MATCH (s:Statement {end_user_id: $end_user_id, id: $id})
SET s.compare_since = null, s.compare_with = null
RETURN s.id AS id
