// name: append_event
// Appends one event to the user's chain and moves its head.
// params: end_user_id, event

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.seq = $event.seq, u.head_hash = $event.hash
CREATE (v:Event {
  end_user_id: $end_user_id, seq: $event.seq, idempotency_key: $event.idempotency_key, target_id: $event.target_id,
  cycle_id: $event.cycle_id
})
SET v += $event
RETURN v.seq AS seq
