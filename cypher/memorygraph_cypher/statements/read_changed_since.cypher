// name: read_changed_since
// Which of some memories have an event of a later time.
// params: end_user_id, ids, at

UNWIND $ids AS id
MATCH (v:Event {end_user_id: $end_user_id, target_id: id})
  WHERE v.at > $at
RETURN DISTINCT id
