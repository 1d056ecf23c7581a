// name: count_live_statements
// How many statements live, and how many of them have gone cold.
// params: end_user_id, now

MATCH (n:Statement {end_user_id: $end_user_id})
  WHERE n.status = 'active' AND n.trust <> 'rejected'
RETURN count(n) AS live, sum(CASE WHEN n.cold_at <= $now THEN 1 ELSE 0 END) AS cold
