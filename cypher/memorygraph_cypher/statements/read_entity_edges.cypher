// name: read_entity_edges
// Entities in full, with every memory that mentions them and every relation they have a part in.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (e:Entity {end_user_id: $end_user_id, id: id})
RETURN properties(e) AS properties,
  [(s:Statement {end_user_id: $end_user_id})-[r:MENTIONS {end_user_id: $end_user_id}]->(e) | {id: s.id, properties: properties(r)}] AS statements,
  [(m:MemorySummary {end_user_id: $end_user_id})-[r:MENTIONS {end_user_id: $end_user_id}]->(e) | {id: m.id, properties: properties(r)}] AS summaries,
  [(e)-[r:RELATES {end_user_id: $end_user_id}]->(o:Entity {end_user_id: $end_user_id}) | {subject_id: e.id, object_id: o.id, properties: properties(r)}] AS outgoing,
  [(e)<-[r:RELATES {end_user_id: $end_user_id}]-(o:Entity {end_user_id: $end_user_id}) | {subject_id: o.id, object_id: e.id, properties: properties(r)}] AS incoming
