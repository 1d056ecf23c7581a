// name: check_relationships
// Relationships that cross between users or join what their type does not join; of one user, or of all when none is named.
// params: only, legal, most

MATCH (a)-[r]->(b)
  WHERE ($only IS NULL OR a.end_user_id = $only OR b.end_user_id = $only OR r.end_user_id = $only)
WITH type(r) AS type, r.end_user_id AS owner, a, b, head(labels(a)) AS source_label, head(labels(b)) AS target_label
WITH type, owner, source_label, a.id AS source_id, a.end_user_id AS source_user, target_label, b.id AS target_id,
  b.end_user_id AS target_user, type + ' ' + source_label + ' ' + target_label AS ends
  WHERE owner IS NULL OR source_user IS NULL OR target_user IS NULL OR owner <> source_user OR owner <> target_user
    OR NOT ends IN $legal
RETURN type, owner, source_label, source_id, source_user, target_label, target_id, target_user, ends IN $legal AS legal
LIMIT $most
