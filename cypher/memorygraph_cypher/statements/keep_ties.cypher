// name: keep_ties
// Unties a summary from the entities and episodes that none of its originals is tied to any more.
// params: end_user_id, summary_id, entity_ids, evidence

MATCH (m:MemorySummary {end_user_id: $end_user_id, id: $summary_id})
OPTIONAL MATCH (m)-[r:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id})
  WHERE NOT e.id IN $entity_ids
DELETE r
WITH DISTINCT m
OPTIONAL MATCH (m)-[x:FROM_EPISODE {end_user_id: $end_user_id}]->(p:Episode {end_user_id: $end_user_id})
  WHERE NOT p.id + ' ' + toString(x.start) + ' ' + toString(x.end) IN $evidence
DELETE x
