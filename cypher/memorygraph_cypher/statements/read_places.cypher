// name: read_places
// What values to be written have to do with beside their like: their slots, what they supersede, where they come from.
// params: end_user_id, items

UNWIND $items AS item
RETURN
  COLLECT {
    MATCH (s:Statement {end_user_id: $end_user_id, slot_key: item.slot_key})
      WHERE s.status = 'active' AND s.trust <> 'rejected' AND coalesce(s.project, '') = item.project
    RETURN s {
      .id, .text, .status, .trust, .fingerprint, .valid_from, .valid_to, .occurred_at, .recorded_at, .expires_at, .open_questions
    }
    ORDER BY s.recorded_at DESC
    LIMIT 20
  } AS slot,
  COLLECT {
    UNWIND item.supersedes AS old_id
    OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: old_id})
    OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: old_id})
    WITH coalesce(s, m) AS n, s IS NULL AS is_summary
      WHERE n IS NOT NULL
    RETURN n {.id, .status, .expires_at, .open_questions, is_summary: is_summary}
  } AS superseded,
  COLLECT {
    UNWIND item.evidence_ids AS episode_id
    MATCH (p:Episode {end_user_id: $end_user_id, id: episode_id})
    RETURN p.id
  } AS evidence,
  COLLECT {
    UNWIND item.turn_ids AS episode_id
    MATCH (p:Episode {end_user_id: $end_user_id, id: episode_id})
    RETURN {
      id: p.id,
      statements: [(s:Statement {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | {id: s.id, kind: s.kind}],
      summaries: [(m:MemorySummary {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | m.id]
    }
  } AS named_turns,
  COLLECT {
    MATCH (p:Episode {end_user_id: $end_user_id, session_id: item.session_id, position: item.position, content_hash: item.content_hash})
    RETURN {
      id: p.id,
      statements: [(s:Statement {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | {id: s.id, kind: s.kind}],
      summaries: [(m:MemorySummary {end_user_id: $end_user_id})-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p) | m.id]
    }
  } AS placed_turns
