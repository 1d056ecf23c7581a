// name: create_statement
// Creates a statement with the entities it mentions, making those that are new.
// params: end_user_id, properties, mentions

CREATE (s:Statement {end_user_id: $end_user_id})
SET s += $properties
WITH s
UNWIND $mentions AS mention
MERGE (e:Entity {end_user_id: $end_user_id, name_key: mention.name_key, kind: mention.kind})
  ON CREATE SET e += mention.properties
CREATE (s)-[:MENTIONS {end_user_id: $end_user_id, role: mention.role}]->(e)
RETURN e.id AS id, e.name AS name, e.kind AS kind
