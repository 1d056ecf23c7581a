// name: read_events
// A page of the user's events in order.
// params: end_user_id, after, upto

UNWIND range($after + 1, $upto) AS seq
MATCH (v:Event {end_user_id: $end_user_id, seq: seq})
RETURN properties(v) AS event
ORDER BY v.seq
