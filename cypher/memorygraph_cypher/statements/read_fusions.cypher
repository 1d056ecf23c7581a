// name: read_fusions
// The summaries that were once made of the named originals.
// params: end_user_id, ids

MATCH (v:Event {end_user_id: $end_user_id})
  WHERE v.action = 'fuse' AND any(id IN v.changed_ids WHERE id IN $ids)
RETURN DISTINCT v.target_id AS id
