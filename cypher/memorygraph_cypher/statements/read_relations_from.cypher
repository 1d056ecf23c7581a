// name: read_relations_from
// The relations that name one of some statements as their source, or as one that was.
// params: end_user_id, statement_ids

MATCH (a:Entity {end_user_id: $end_user_id})-[r:RELATES {end_user_id: $end_user_id}]->(b:Entity {end_user_id: $end_user_id})
  WHERE a.id IS NOT NULL // has Neo4j begin with the user's entities
    AND any(id IN coalesce(r.source_ids, []) + coalesce(r.withdrawn_ids, []) WHERE id IN $statement_ids)
RETURN a.id AS subject_id, b.id AS object_id, properties(r) AS properties
