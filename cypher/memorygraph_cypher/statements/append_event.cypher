// name: append_event
// Appends one event to the user's chain and moves its head.
// params: end_user_id, seq, head_hash, properties

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.seq = $seq, u.head_hash = $head_hash
CREATE (v:Event {end_user_id: $end_user_id, seq: $seq})
SET v += $properties
RETURN v.seq AS seq
