// name: begin_change
// As lock_user, with the memories to be changed, and the event of the same call if it has been done before.
// params: end_user_id, ids, idempotency_key

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.turn = u.turn + 1
WITH u.seq AS seq, u.head_hash AS head_hash, u.fence AS fence
RETURN seq, head_hash, fence,
  COLLECT {
    MATCH (v:Event {end_user_id: $end_user_id, idempotency_key: $idempotency_key})
    RETURN v {.action, .target_id, .seq}
  } AS events,
  COLLECT {
    UNWIND $ids AS id
    OPTIONAL MATCH (s:Statement {end_user_id: $end_user_id, id: id})
    OPTIONAL MATCH (m:MemorySummary {end_user_id: $end_user_id, id: id})
    WITH s, coalesce(s, m) AS n
      WHERE n IS NOT NULL
    RETURN n {
      .*,
      embedding: null,
      `node type`: CASE WHEN s IS NULL THEN 'MemorySummary' ELSE 'Statement' END,
      `named entities`: [(n)-[:MENTIONS {end_user_id: $end_user_id}]->(e:Entity {end_user_id: $end_user_id}) | {id: e.id, name: e.name, kind: e.kind}]
    }
  } AS memories
