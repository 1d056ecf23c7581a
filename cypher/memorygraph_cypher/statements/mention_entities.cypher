// name: mention_entities
// Gives a statement other mentions than it had.
// params: end_user_id, id, mentions

MATCH (s:Statement {end_user_id: $end_user_id, id: $id})
OPTIONAL MATCH (s)-[r:MENTIONS {end_user_id: $end_user_id}]->({end_user_id: $end_user_id})
DELETE r
WITH DISTINCT s
FOREACH (mention IN $mentions |
  MERGE (e:Entity {end_user_id: $end_user_id, name_key: mention.name_key, kind: mention.kind})
    ON CREATE SET e += mention.properties
  CREATE (s)-[:MENTIONS {end_user_id: $end_user_id, role: mention.role}]->(e)
)
RETURN s.id AS id
