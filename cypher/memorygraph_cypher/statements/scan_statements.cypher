// name: scan_statements
// A page of the user's nodes of this kind in the order of their keys, without vectors.
// params: end_user_id, after, page

MATCH (n:Statement {end_user_id: $end_user_id})
  WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $page
RETURN n {.*, embedding: null} AS properties
