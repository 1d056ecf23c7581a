// name: lock_user
// Takes the lock of the user's mutations and tells where the events stand; no row without such a user.
// params: end_user_id

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u
RETURN u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
