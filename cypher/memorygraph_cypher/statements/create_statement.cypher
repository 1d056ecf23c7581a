// name: create_statement
// Creates a statement with the entities it mentions, the turn it keeps verbatim (or none), and its event.
// params: end_user_id, properties, mentions, turns, event

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.seq = $event.seq, u.head_hash = $event.hash
CREATE (v:Event {end_user_id: $end_user_id, seq: $event.seq})
SET v += $event
CREATE (s:Statement {end_user_id: $end_user_id})
SET s += $properties
FOREACH (turn IN $turns |
  CREATE (p:Episode {end_user_id: $end_user_id})
  SET p += turn.properties
  CREATE (s)-[:FROM_EPISODE {end_user_id: $end_user_id, start: turn.start, end: turn.end}]->(p)
)
FOREACH (mention IN $mentions |
  MERGE (e:Entity {end_user_id: $end_user_id, name_key: mention.name_key, kind: mention.kind})
    ON CREATE SET e += mention.properties
  CREATE (s)-[:MENTIONS {end_user_id: $end_user_id, role: mention.role}]->(e)
)
RETURN s.id AS id
