// name: list_summaries
// A page of summaries, newest first: those that hold, or held at an instant as believed now.
// params: end_user_id, before_id, kinds, tags, project, session_id, statuses, trusts, now, valid_at, page

MATCH (n:MemorySummary {end_user_id: $end_user_id})
  WHERE n.id < $before_id AND n.trust IN $trusts
    AND (n.expires_at IS NULL OR n.expires_at > $now)
    AND n.status IN $statuses
    AND ($kinds IS NULL OR n.kind IN $kinds)
    AND ($project IS NULL OR n.project = $project)
    AND ($session_id IS NULL OR n.session_id = $session_id)
    AND all(tag IN $tags WHERE tag IN coalesce(n.tags, []))
WITH n, coalesce(n.occurred_at, n.covers_from) AS happened
WITH n, coalesce(n.valid_from, CASE WHEN happened = n.recorded_at THEN null ELSE happened END) AS valid_from
  WHERE $valid_at IS NULL OR (
    coalesce(valid_from, $valid_at) <= $valid_at
    AND (n.valid_to IS NULL OR n.valid_to > $valid_at)
    AND (n.status = 'active' OR n.superseded_from IS NULL OR n.superseded_from > $valid_at))
WITH n
ORDER BY n.id DESC
LIMIT $page
RETURN 'MemorySummary' AS type, n {.*, embedding: null, search_text: null} AS properties,
  [(n)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}] AS entities
