// name: read_fusion
// The event by which a cycle fused a memory.
// params: end_user_id, id, cycle_id

MATCH (v:Event {end_user_id: $end_user_id, cycle_id: $cycle_id})
  WHERE $id IN v.changed_ids
RETURN v {.seq, .at, .actor, .action, .target_id, .target_type, .payload} AS event
