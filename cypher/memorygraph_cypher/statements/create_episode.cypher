// name: create_episode
// Keeps a turn verbatim, and ties its statement to it.
// params: end_user_id, statement_id, properties, start, end

MATCH (s:Statement {end_user_id: $end_user_id, id: $statement_id})
CREATE (p:Episode {end_user_id: $end_user_id})
SET p += $properties
CREATE (s)-[:FROM_EPISODE {end_user_id: $end_user_id, start: $start, end: $end}]->(p)
RETURN p.id AS id
