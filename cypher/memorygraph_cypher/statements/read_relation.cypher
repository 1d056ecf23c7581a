// name: read_relation
// One relation with its ends.
// params: end_user_id, id

MATCH (a:Entity {end_user_id: $end_user_id})-[r:RELATES {end_user_id: $end_user_id, id: $id}]->(b:Entity {end_user_id: $end_user_id})
  WHERE a.id IS NOT NULL // has Neo4j begin with the user's entities
RETURN properties(r) AS properties, a {.id, .name, .kind} AS subject, b {.id, .name, .kind} AS object
