// name: read_relations_stated
// The relations that some statements and summaries state, or did, as far as those say that they state any.
// params: end_user_id, statement_ids

UNWIND $statement_ids AS statement_id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: statement_id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: statement_id})
WITH coalesce(s, m) AS n
  WHERE n.states_relations = true
WITH collect(n.id) AS stating
  WHERE size(stating) > 0
MATCH (a:Entity {end_user_id: $end_user_id})-[r:RELATES {end_user_id: $end_user_id}]->(b:Entity {end_user_id: $end_user_id})
  WHERE a.id IS NOT NULL // has Neo4j begin with the user's entities
    AND any(id IN coalesce(r.source_ids, []) + coalesce(r.withdrawn_ids, []) WHERE id IN stating)
RETURN a.id AS subject_id, b.id AS object_id, properties(r) AS properties
