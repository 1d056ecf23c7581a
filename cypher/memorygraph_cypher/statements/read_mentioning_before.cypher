// name: read_mentioning_before
// Memories whose entities were changed after an instant, and that may have mentioned some entity until then.
// params: end_user_id, entity_ids, at

MATCH (v:Event {end_user_id: $end_user_id})
  WHERE v.at > $at AND v.action = 'revise' AND any(id IN $entity_ids WHERE v.payload CONTAINS id)
RETURN DISTINCT v.target_id AS id
