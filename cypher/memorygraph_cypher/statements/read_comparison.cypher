// name: read_comparison
// A statement that is to be compared, with those it is compared with; no row when there is nothing to do.
// params: end_user_id, id

MATCH (s:Statement {end_user_id: $end_user_id, id: $id})
  WHERE s.compare_since IS NOT NULL AND s.status = 'active' AND s.trust <> 'rejected'
RETURN s.text AS text, s.speaker AS speaker, s.compare_with AS compare_with, s.expires_at AS expires_at
