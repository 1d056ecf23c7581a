// name: select_expired_statements
// Statements whose time is over and that still count as active, a page of them.
// params: end_user_id, now, page

MATCH (s:Statement {end_user_id: $end_user_id})
  WHERE s.expires_at <= $now AND s.status = 'active'
RETURN s.id AS id
ORDER BY s.id
LIMIT $page
