// name: begin_change
// As lock_user, with the event of an earlier try of the same call.
// params: end_user_id, idempotency_key

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
OPTIONAL MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: $idempotency_key})
RETURN seq, head_hash, fence, head(collect(v {.action, .target_id, .seq, .payload})) AS event
