// name: finish_episodes
// Notes that nothing is left to be done with the episodes of one ingestion.
// params: end_user_id, ingest_id

MATCH (p:Episode {end_user_id: $end_user_id, ingest_id: $ingest_id})
SET p.pending_since = null
RETURN count(p) AS finished
