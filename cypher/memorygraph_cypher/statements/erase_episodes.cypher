// name: erase_episodes
// Removes episodes with all that ties them.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (n:Episode {end_user_id: $end_user_id, id: id})
DETACH DELETE n
