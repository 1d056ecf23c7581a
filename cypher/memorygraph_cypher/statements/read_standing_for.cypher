// name: read_standing_for
// The summaries that stand for forgotten originals, with the properties that a new text of theirs changes.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (f:Forgotten {end_user_id: $end_user_id, id: id})
MATCH (m:MemorySummary {end_user_id: $end_user_id})-[:DERIVED_FROM {end_user_id: $end_user_id}]->(f)
RETURN DISTINCT m.id AS id
