// name: check_relations
// A page of relations between entities in full, in the order of their ids.
// params: end_user_id, after, page

MATCH (a:Entity {end_user_id: $end_user_id})-[r:RELATES {end_user_id: $end_user_id}]->(b:Entity {end_user_id: $end_user_id})
  WHERE a.id IS NOT NULL // has Neo4j begin with the user's entities
    AND r.id > $after
WITH r
ORDER BY r.id
LIMIT $page
RETURN properties(r) AS properties
