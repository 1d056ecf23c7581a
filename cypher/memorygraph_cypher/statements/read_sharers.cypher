// name: read_sharers
// Statements, live or forgotten, that are known by one of the fingerprints.
// params: end_user_id, fingerprints

UNWIND $fingerprints AS fingerprint
RETURN
  COLLECT {
    MATCH (s:Statement {end_user_id: $end_user_id, fingerprint: fingerprint})
    RETURN s.id
  } AS statements,
  COLLECT {
    MATCH (f:Forgotten {end_user_id: $end_user_id, fingerprint: fingerprint})
    RETURN f.id
  } AS forgotten
