// name: list_pending_comparisons
// A page of the statements of any user that a language model has yet to compare with others, in the order of their ids.
// params: after, limit

MATCH (s:Statement)
  WHERE s.compare_since >= 0 AND s.id > $after
RETURN s.end_user_id AS end_user_id, s.id AS id
ORDER BY id
LIMIT $limit
