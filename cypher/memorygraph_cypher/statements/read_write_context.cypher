// name: read_write_context
// What the graph already knows of a value about to be written: tombstone, earlier request, same value live or forgotten, entities.
// params: end_user_id, fingerprint, idempotency_key, name_keys

OPTIONAL MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: $fingerprint})
  WHERE t.lifted_at IS NULL
WITH head(collect(t.kind)) AS tombstone
OPTIONAL MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: $idempotency_key})
WITH tombstone, head(collect(properties(v))) AS event
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: $fingerprint})
WITH tombstone, event, collect({id: s.id, kind: s.kind, status: s.status, trust: s.trust}) AS live
OPTIONAL MATCH (f:Forgotten {end_user_id: $end_user_id, fingerprint: $fingerprint})
WITH tombstone, event, live, collect(f.id) AS forgotten
RETURN tombstone, event, live, forgotten,
  COLLECT {
    UNWIND $name_keys AS name_key
    MATCH (e:Entity {end_user_id: $end_user_id, name_key: name_key})
    RETURN {id: e.id, name: e.name, kind: e.kind, name_key: e.name_key}
  } AS entities
