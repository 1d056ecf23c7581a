// name: confirm_statement
// Counts that a value was said again, with its event, and tells the entities it mentions.
// params: end_user_id, statement_id, properties, event

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.seq = $event.seq, u.head_hash = $event.hash
CREATE (v:Event {end_user_id: $end_user_id, seq: $event.seq})
SET v += $event
WITH v
MATCH (s:Statement {end_user_id: $end_user_id, id: $statement_id})
SET s += $properties
RETURN [(s)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}] AS entities
