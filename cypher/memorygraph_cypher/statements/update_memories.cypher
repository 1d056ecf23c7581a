// name: update_memories
// Changes properties of statements and summaries, and appends the events of it.
// params: end_user_id, head, events, rows

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.seq = $head.seq, u.head_hash = $head.hash
FOREACH (event IN $events |
  CREATE (v:Event {
    end_user_id: $end_user_id, seq: event.seq, idempotency_key: event.idempotency_key, target_id: event.target_id,
    cycle_id: event.cycle_id
  })
  SET v += event
)
WITH u
UNWIND $rows AS row
OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: row.id})
OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: row.id})
WITH coalesce(s, m) AS n, row
  WHERE n IS NOT NULL
SET n += row.properties
RETURN count(n) AS updated
