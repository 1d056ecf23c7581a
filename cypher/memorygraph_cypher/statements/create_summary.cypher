// name: create_summary
// Creates the summary that stands for a fused group.
// params: end_user_id, properties

CREATE (m:MemorySummary {end_user_id: $end_user_id})
SET m += $properties
RETURN m.id AS id
