// name: create_user
// Makes the user on first use.
// params: end_user_id, now, genesis

MERGE (u:EndUser {end_user_id: $end_user_id})
  ON CREATE SET u.seq = 0, u.head_hash = $genesis, u.fence = 0, u.created_at = $now, u.turn = 0
RETURN u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
