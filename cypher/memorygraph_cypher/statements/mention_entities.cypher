// name: mention_entities
// Ties a statement to its entities, making those that are new.
// params: end_user_id, statement_id, mentions

MATCH (s:Statement {end_user_id: $end_user_id, id: $statement_id})
UNWIND $mentions AS mention
MERGE (e:Entity {end_user_id: $end_user_id, name_key: mention.name_key, kind: mention.kind})
  ON CREATE SET e += mention.properties
CREATE (s)-[:MENTIONS {end_user_id: $end_user_id, role: mention.role}]->(e)
RETURN e.id AS id, e.name AS name, e.kind AS kind
