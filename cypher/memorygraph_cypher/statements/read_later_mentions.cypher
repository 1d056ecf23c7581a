// name: read_later_mentions
// Statements and summaries that mention an entity and were recorded at an instant or later, with their texts.
// params: end_user_id, id, since

MATCH (e:Entity {end_user_id: $end_user_id, id: $id})<-[r:MENTIONS {end_user_id: $end_user_id}]-(n {end_user_id: $end_user_id})
  WHERE n.recorded_at >= $since
RETURN n.id AS id, head(labels(n)) AS type, n.text AS text, properties(r) AS properties
