// name: read_history
// A page of the events whose target something is, newest first.
// params: end_user_id, target_id, before, page

MATCH (v:Event {end_user_id: $end_user_id, target_id: $target_id})
  WHERE v.seq < $before
RETURN v {.seq, .at, .actor, .action, .target_id, .target_type, .payload} AS event
ORDER BY v.seq DESC
LIMIT $page
