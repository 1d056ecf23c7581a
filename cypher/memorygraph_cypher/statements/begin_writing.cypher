// name: begin_writing
// As lock_user, with what is known of each value to be written: tombstone, earlier request, the same, names, surroundings.
// params: end_user_id, items

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
UNWIND $items AS item
RETURN seq, head_hash, fence,
  COLLECT {
    UNWIND item.fingerprints AS fingerprint
    MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: fingerprint})
      WHERE t.lifted_at IS NULL
    RETURN t {.kind, .fingerprint}
  } AS tombstones,
  COLLECT {
    MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: item.idempotency_key})
    RETURN v {.action, .target_id, .seq, .request_digest, .payload}
  } AS events,
  COLLECT {
    MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: item.fingerprint})
      WHERE s.kind <> 'turn' AND s.status = 'active' AND s.trust <> 'rejected' AND coalesce(s.project, '') = item.project
    RETURN s {
      .id, .kind, .status, .trust, .pinned, .importance, .hold_until, .open_questions, .review_since, .assertion_count,
      .source_count, .source_keys, .access_times, .access_count, .first_access_at, .expires_at,
      entities: [(s)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}]
    }
  } AS same,
  COLLECT {
    MATCH (f:Forgotten {end_user_id: $end_user_id, fingerprint: item.fingerprint})
    RETURN f.id
    LIMIT 20
  } AS forgotten,
  COLLECT {
    UNWIND item.name_keys AS name_key
    MATCH (e:Entity {end_user_id: $end_user_id, name_key: name_key})
    RETURN e {.id, .name, .kind, .name_key, asked: name_key, asked_kind: e.kind}
  } AS entities,
  COLLECT {
    UNWIND item.name_keys AS name_key
    MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: name_key})
    MATCH (e:Entity {end_user_id: $end_user_id, id: a.entity_id})
    RETURN e {.id, .name, .kind, .name_key, asked: name_key, asked_kind: a.kind}
  } AS aliases,
  COLLECT {
    UNWIND item.near AS near_id
    OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: near_id})
    OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: near_id})
    WITH coalesce(s, m) AS n, s IS NULL AS is_summary
      WHERE n IS NOT NULL AND n.status = 'active' AND n.trust <> 'rejected'
    RETURN n {.id, .text, .kind, .trust, .speaker, .subject, .predicate, .value, .project, .session_id, .valid_from, .valid_to, is_summary: is_summary}
  } AS near
