// name: update_store
// Changes the graph's own record.
// params: name, properties

MATCH (s:Store {name: $name})
SET s += $properties
RETURN properties(s) AS store
