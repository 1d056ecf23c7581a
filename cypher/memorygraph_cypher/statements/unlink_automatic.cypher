// name: unlink_automatic
// Removes the links that were made by likeness; those made by hand stay.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n
  WHERE n IS NOT NULL
MATCH (n)-[r:SIMILAR_TO {end_user_id: $end_user_id, origin: 'auto'}]-({end_user_id: $end_user_id})
DELETE r
RETURN count(*) AS unlinked
