// name: begin_ingestion
// As lock_user, with the event of the same request if it came before, and the turns of the sessions it is about.
// params: end_user_id, idempotency_key, session_ids

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
RETURN seq, head_hash, fence,
  COLLECT {
    MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: $idempotency_key})
    RETURN v {.action, .target_id, .request_digest, .payload}
  } AS events,
  COLLECT {
    UNWIND $session_ids AS session_id
    MATCH (p:Episode {end_user_id: $end_user_id, session_id: session_id})
    RETURN p {.session_id, .position, .content_hash}
  } AS said
