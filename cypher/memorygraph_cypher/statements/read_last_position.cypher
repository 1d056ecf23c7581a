// name: read_last_position
// The highest position taken in a session.
// params: end_user_id, session_id

MATCH (p:Episode {end_user_id: $end_user_id, session_id: $session_id})
RETURN max(p.position) AS position
