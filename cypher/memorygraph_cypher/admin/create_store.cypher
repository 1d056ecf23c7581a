// name: create_store
// The graph's own record, made once; whoever comes second reads it.
// params: name, properties

MERGE (s:Store {name: $name})
  ON CREATE SET s += $properties
RETURN properties(s) AS store
