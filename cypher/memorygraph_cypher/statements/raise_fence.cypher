// name: raise_fence
// Notes the fencing token of the worker that is committing.
// params: end_user_id, fence

MATCH (u:EndUser {end_user_id: $end_user_id})
SET u.fence = $fence
RETURN u.fence AS fence
