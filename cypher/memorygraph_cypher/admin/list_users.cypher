// name: list_users
// A page of the users of the store, in the order of their ids.
// params: after, page

MATCH (u:EndUser)
  WHERE u.end_user_id > $after
RETURN u.end_user_id AS end_user_id
ORDER BY end_user_id
LIMIT $page
