// name: begin_writing
// As lock_user, with what is known of a value: tombstone, earlier request, same live or forgotten.
// params: end_user_id, fingerprint, project, idempotency_key, name_keys

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
OPTIONAL MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: $fingerprint})
  WHERE t.lifted_at IS NULL
WITH seq, head_hash, fence, head(collect(t.kind)) AS tombstone
OPTIONAL MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: $idempotency_key})
WITH seq, head_hash, fence, tombstone, head(collect(v {.action, .target_id, .seq, .request_digest, .payload})) AS event
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: $fingerprint})
  WHERE s.kind <> 'turn' AND s.status = 'active' AND coalesce(s.project, '') = $project
WITH seq, head_hash, fence, tombstone, event, head(collect(s {
    .id, .kind, .status, .trust, .pinned, .importance, .hold_until, .assertion_count, .source_count, .source_keys,
    .access_times, .access_count, .first_access_at
  })) AS live
OPTIONAL MATCH (f:Forgotten {end_user_id: $end_user_id, fingerprint: $fingerprint})
WITH seq, head_hash, fence, tombstone, event, live, collect(f.id)[..20] AS forgotten
RETURN seq, head_hash, fence, tombstone, event, live, forgotten,
  COLLECT {
    UNWIND $name_keys AS name_key
    MATCH (e:Entity {end_user_id: $end_user_id, name_key: name_key})
    RETURN e {.id, .name, .kind, .name_key}
  } AS entities
