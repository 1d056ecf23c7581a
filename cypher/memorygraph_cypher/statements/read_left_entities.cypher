// name: read_left_entities
// Those of the entities that nothing is tied to any more.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (e:Entity {end_user_id: $end_user_id, id: id})
  WHERE NOT EXISTS { (e)-[{end_user_id: $end_user_id}]-({end_user_id: $end_user_id}) }
RETURN e.id AS id, e.name AS name, e.aliases AS aliases
