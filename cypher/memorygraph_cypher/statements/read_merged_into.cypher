// name: read_merged_into
// The entity that another one was merged into, directly or by way of others.
// params: end_user_id, id

MATCH (e:Entity {end_user_id: $end_user_id})
  WHERE e.id IS NOT NULL AND $id IN e.merged_ids
RETURN properties(e) AS properties
