// name: read_relations
// Every relation that entities have a part in, with its ends.
// params: end_user_id, ids

UNWIND $ids AS id
MATCH (e:Entity {end_user_id: $end_user_id, id: id})
RETURN [(e)-[r:RELATES {end_user_id: $end_user_id}]->(o:Entity {end_user_id: $end_user_id}) |
    {properties: properties(r), subject: {id: e.id, name: e.name, kind: e.kind}, object: {id: o.id, name: o.name, kind: o.kind}}] AS outgoing,
  [(e)<-[r:RELATES {end_user_id: $end_user_id}]-(o:Entity {end_user_id: $end_user_id}) |
    {properties: properties(r), subject: {id: o.id, name: o.name, kind: o.kind}, object: {id: e.id, name: e.name, kind: e.kind}}] AS incoming
