// name: list_pending_ingestions
// A page of the ingestions of any user that are not finished, in the order of their ids, with what their event tells.
// params: after, limit

MATCH (p:Episode)
  WHERE p.pending_since >= 0
WITH DISTINCT p.end_user_id AS end_user_id, p.ingest_id AS id
  WHERE id > $after
WITH end_user_id, id
ORDER BY id
LIMIT $limit
OPTIONAL MATCH (v:Event {end_user_id: end_user_id, target_id: id})
  WHERE v.action = 'ingest'
RETURN end_user_id, id, v.payload AS payload
ORDER BY id
