// name: scan_claims
// A page of the user's statements that make a claim, in the order of their ids: what their values are known by.
// params: end_user_id, after, page

MATCH (s:Statement {end_user_id: $end_user_id})
  WHERE s.id > $after AND s.predicate IS NOT NULL
WITH s ORDER BY s.id LIMIT $page
RETURN s {.id, .text, .speaker, .subject, .predicate, .value} AS properties
