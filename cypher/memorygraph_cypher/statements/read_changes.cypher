// name: read_changes
// What the events after a point changed, by id.
// params: end_user_id, after, upto

UNWIND range($after + 1, $upto) AS seq
MATCH (v:Event {end_user_id: $end_user_id, seq: seq})
UNWIND v.changed_ids AS id
RETURN DISTINCT id
