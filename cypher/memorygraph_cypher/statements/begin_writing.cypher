// name: begin_writing
// As lock_user, with what is known of each value to be written: tombstone, earlier request, the same, names, surroundings.
// params: end_user_id, items, name_keys, near_statements, near_summaries

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence,
  COLLECT {
    UNWIND $name_keys AS name_key
    MATCH (e:Entity {end_user_id: $end_user_id, name_key: name_key})
    RETURN e {.id, .name, .kind, .name_key, asked: name_key, asked_kind: e.kind}
  } AS entities,
  COLLECT {
    UNWIND $name_keys AS name_key
    MATCH (a:EntityAlias {end_user_id: $end_user_id, name_key: name_key})
    MATCH (e:Entity {end_user_id: $end_user_id, id: a.entity_id})
    RETURN e {.id, .name, .kind, .name_key, asked: name_key, asked_kind: a.kind}
  } AS aliases,
  COLLECT {
    UNWIND $near_statements AS near_id
    MATCH (s:Statement {end_user_id: $end_user_id, id: near_id})
      WHERE s.status = 'active' AND s.trust <> 'rejected'
    RETURN s {.id, .text, .kind, .speaker, .subject, .predicate, .value, .project, .session_id, .valid_from, .valid_to, is_summary: false}
  } AS near_statements,
  COLLECT {
    UNWIND $near_summaries AS near_id
    MATCH (m:MemorySummary {end_user_id: $end_user_id, id: near_id})
      WHERE m.status = 'active' AND m.trust <> 'rejected'
    RETURN m {.id, .text, .kind, is_summary: true}
  } AS near_summaries
// The values of a batch share names and surroundings: the first row tells them for all.
UNWIND $items AS item
RETURN seq, head_hash, fence,
  CASE WHEN item.is_first THEN entities END AS entities,
  CASE WHEN item.is_first THEN aliases END AS aliases,
  CASE WHEN item.is_first THEN near_statements END AS near_statements,
  CASE WHEN item.is_first THEN near_summaries END AS near_summaries,
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
      WHERE s.kind <> 'turn' AND s.trust <> 'rejected' AND coalesce(s.project, '') = item.project
        AND (s.status = 'active' OR (s.status = 'superseded' AND s.superseded_from > item.since))
    RETURN s {
      .id, .kind, .status, .trust, .pinned, .importance, .hold_until, .open_questions, .review_since, .assertion_count,
      .source_count, .source_keys, .access_times, .access_count, .first_access_at, .expires_at,
      .valid_from, .valid_to, .occurred_at, .recorded_at, .superseded_from,
      holders: [(s)<-[:SUPERSEDES {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | o.id],
      entities: [(s)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}]
    }
  } AS same,
  COLLECT {
    MATCH (f:Forgotten {end_user_id: $end_user_id, fingerprint: item.fingerprint})
    RETURN f.id
    LIMIT 20
  } AS forgotten
