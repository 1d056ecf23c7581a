// name: sample_summaries
// Access histories of summaries in the order of their ids, a run of them, for averages.
// params: end_user_id, skip, size

MATCH (n:MemorySummary {end_user_id: $end_user_id})
  WHERE n.status = 'active' AND n.trust <> 'rejected'
WITH n
ORDER BY n.id
SKIP $skip
LIMIT $size
RETURN n.id AS id, n.access_times AS access_times, n.access_count AS access_count, n.first_access_at AS first_access_at,
  n.importance AS importance
