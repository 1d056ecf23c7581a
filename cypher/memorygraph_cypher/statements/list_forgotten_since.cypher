// name: list_forgotten_since
// A page of the stubs of what was fused after an instant and can still be read, newest first.
// params: end_user_id, before_id, at, page

MATCH (f:Forgotten {end_user_id: $end_user_id})
  WHERE f.id < $before_id AND f.forgotten_at > $at AND f.payload IS NOT NULL
WITH f
ORDER BY f.id DESC
LIMIT $page
RETURN f {.original_type, .payload} AS properties
