// name: check_statements
// A page of statements in full, in the order of their ids, with what their relationships say of them.
// params: end_user_id, after, page

MATCH (n:Statement {end_user_id: $end_user_id})
  WHERE n.id > $after
WITH n
ORDER BY n.id
LIMIT $page
RETURN properties(n) AS properties,
  [(n)-[:FROM_EPISODE {end_user_id: $end_user_id}]->(p:Episode {end_user_id: $end_user_id}) | p.id] AS episodes,
  [(n)<-[:SUPERSEDES {end_user_id: $end_user_id}]-(o {end_user_id: $end_user_id}) | o.id] AS superseded_by,
  [(n)-[c:CONTRADICTS {end_user_id: $end_user_id}]-(o:Statement {end_user_id: $end_user_id}) WHERE c.resolved_at IS NULL | o.id] AS contradicted_by
