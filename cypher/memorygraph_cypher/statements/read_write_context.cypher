// name: read_write_context
// What is known of a value about to be written: tombstone, earlier request, the same live or forgotten.
// params: end_user_id, fingerprint, idempotency_key, name_keys

OPTIONAL MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: $fingerprint})
  WHERE t.lifted_at IS NULL
WITH head(collect(t.kind)) AS tombstone
OPTIONAL MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: $idempotency_key})
WITH tombstone, head(collect(v {.action, .target_id, .seq, .request_digest, .payload})) AS event
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: $fingerprint})
  WHERE s.kind <> 'turn' AND s.status = 'active'
WITH tombstone, event, head(collect(s {
    .id, .kind, .status, .trust, .pinned, .importance, .hold_until, .assertion_count, .source_count, .source_keys,
    .access_times, .access_count, .first_access_at
  })) AS live
OPTIONAL MATCH (f:Forgotten {end_user_id: $end_user_id, fingerprint: $fingerprint})
WITH tombstone, event, live, collect(f.id)[..20] AS forgotten
RETURN tombstone, event, live, forgotten,
  COLLECT {
    UNWIND $name_keys AS name_key
    MATCH (e:Entity {end_user_id: $end_user_id, name_key: name_key})
    RETURN e {.id, .name, .kind, .name_key}
  } AS entities
