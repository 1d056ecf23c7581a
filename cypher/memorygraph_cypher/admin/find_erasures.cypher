// name: find_erasures
// Which of these erasures the graph has seen the end of.
// params: erasures

UNWIND $erasures AS erasure
MATCH (v:Event {end_user_id: erasure.end_user_id, idempotency_key: erasure.key})
RETURN erasure.id AS id
