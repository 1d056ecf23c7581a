// name: write_episodes
// Changes properties of episodes.
// params: end_user_id, rows

UNWIND $rows AS row
MATCH (p:Episode {end_user_id: $end_user_id, id: row.id})
SET p += row.properties
RETURN count(p) AS written
