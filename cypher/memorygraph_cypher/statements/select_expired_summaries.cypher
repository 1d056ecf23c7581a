// name: select_expired_summaries
// Summaries whose time is over and that still count as active, a page of them.
// params: end_user_id, now, page

MATCH (m:MemorySummary {end_user_id: $end_user_id})
  WHERE m.expires_at <= $now AND m.status = 'active'
RETURN m.id AS id
ORDER BY m.id
LIMIT $page
