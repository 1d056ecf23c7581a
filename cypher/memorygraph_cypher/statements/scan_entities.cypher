// name: scan_entities
// A page of the user's entities in the order of their ids.
// params: end_user_id, after, page

MATCH (n:Entity {end_user_id: $end_user_id})
  WHERE n.id > $after
WITH n ORDER BY n.id LIMIT $page
RETURN properties(n) AS properties
