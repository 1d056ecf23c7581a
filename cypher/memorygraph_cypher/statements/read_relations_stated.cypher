// name: read_relations_stated
// The relations that some statements state, as far as those say that they state any.
// params: end_user_id, statement_ids

UNWIND $statement_ids AS statement_id
MATCH (s:Statement {end_user_id: $end_user_id, id: statement_id})
  WHERE s.states_relations = true
WITH collect(s.id) AS stating
  WHERE size(stating) > 0
MATCH (a:Entity {end_user_id: $end_user_id})-[r:RELATES {end_user_id: $end_user_id}]->(b:Entity {end_user_id: $end_user_id})
  WHERE a.id IS NOT NULL // has Neo4j begin with the user's entities
    AND any(id IN r.source_ids WHERE id IN stating)
RETURN a.id AS subject_id, b.id AS object_id, properties(r) AS properties
