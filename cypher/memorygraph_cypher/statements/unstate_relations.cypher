// name: unstate_relations
// Has statements and summaries no longer say that they state relations.
// params: end_user_id, ids

UNWIND $ids AS id
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
WITH coalesce(s, m) AS n
  WHERE n.states_relations = true
SET n.states_relations = null
