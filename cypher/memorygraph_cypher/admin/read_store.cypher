// name: read_store
// What the graph says of itself.
// params: 

MATCH (s:Store)
RETURN properties(s) AS store
