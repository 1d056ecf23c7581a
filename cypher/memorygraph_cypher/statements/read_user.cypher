// name: read_user
// Where the user's events stand.
// params: end_user_id

MATCH (u:EndUser {end_user_id: $end_user_id})
RETURN u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence, u.created_at AS created_at
