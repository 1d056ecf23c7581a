// name: sample_summaries
// Access histories of summaries from an id on, for averages.
// params: end_user_id, from_id, size

MATCH (n:MemorySummary {end_user_id: $end_user_id})
  WHERE n.id >= $from_id
WITH n
ORDER BY n.id
LIMIT $size
RETURN n.id AS id, n.access_times AS access_times, n.access_count AS access_count, n.first_access_at AS first_access_at,
  n.importance AS importance
