// name: read_ingestion
// The episodes of one ingestion in the order in which they were said.
// params: end_user_id, ingest_id

MATCH (p:Episode {end_user_id: $end_user_id, ingest_id: $ingest_id})
RETURN properties(p) AS episode
ORDER BY p.session_id, p.position, p.id
