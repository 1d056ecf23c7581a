// name: create_episode
// Keeps a turn verbatim.
// params: end_user_id, properties

CREATE (p:Episode {end_user_id: $end_user_id})
SET p += $properties
RETURN p.id AS id
