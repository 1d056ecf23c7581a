// name: read_slots
// The claims of slots: those that hold now, and those in whose place another holds only since after an instant.
// params: end_user_id, slots

UNWIND $slots AS slot
RETURN
  COLLECT {
    MATCH (s:Statement {end_user_id: $end_user_id, slot_key: slot.slot_key})
      WHERE s.trust <> 'rejected' AND coalesce(s.project, '') = slot.project
        AND (s.status = 'active' OR (s.status = 'superseded' AND s.superseded_from > slot.since))
    RETURN s {
      .id, .text, .status, .trust, .functional, .fingerprint, .valid_from, .valid_to, .occurred_at, .recorded_at, .expires_at,
      .superseded_from, .open_questions,
      holders: [(s)<-[:SUPERSEDES {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | {id: o.id, status: o.status, expires_at: o.expires_at}]
    }
    ORDER BY s.recorded_at DESC
  } AS claims
