// name: read_events_of
// The events of some targets, in order.
// params: end_user_id, target_ids

UNWIND $target_ids AS target_id
MATCH (v:Event {end_user_id: $end_user_id, target_id: target_id})
RETURN v {.seq, .at, .actor, .action, .target_id, .target_type, .payload} AS event
ORDER BY v.seq
