// name: read_telling_stubs
// Stubs whose payload names one of the ids.
// params: end_user_id, ids

MATCH (f:Forgotten {end_user_id: $end_user_id})
  WHERE f.payload IS NOT NULL AND any(id IN $ids WHERE f.payload CONTAINS id)
RETURN properties(f) AS properties
