// name: erase_summaries
// Removes summaries with all that ties them.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (n:MemorySummary {end_user_id: $end_user_id, id: id})
DETACH DELETE n
