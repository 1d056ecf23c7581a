// name: link_episode
// Ties a statement to the episode it was said in.
// params: end_user_id, statement_id, episode_id, start, end

MATCH (s:Statement {end_user_id: $end_user_id, id: $statement_id})
MATCH (p:Episode {end_user_id: $end_user_id, id: $episode_id})
CREATE (s)-[:FROM_EPISODE {end_user_id: $end_user_id, start: $start, end: $end}]->(p)
RETURN p.id AS id
