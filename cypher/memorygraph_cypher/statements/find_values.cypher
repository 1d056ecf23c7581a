// name: find_values
// What stands under the fingerprints of values: tombstones in force, and live statements.
// params: end_user_id, fingerprints

RETURN
  COLLECT {
    UNWIND $fingerprints AS fingerprint
    MATCH (t:Tombstone {end_user_id: $end_user_id, fingerprint: fingerprint})
      WHERE t.lifted_at IS NULL
    RETURN t {.kind, .fingerprint}
  } AS tombstones,
  COLLECT {
    UNWIND $fingerprints AS fingerprint
    MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: fingerprint})
      WHERE s.kind <> 'turn' AND s.status = 'active' AND s.trust <> 'rejected'
    RETURN s {.id, .project, .expires_at, .valid_from, .valid_to, .occurred_at, .recorded_at}
  } AS live
