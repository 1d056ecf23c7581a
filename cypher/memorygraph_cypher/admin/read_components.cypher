// name: read_components
// Name and version of the server.
// params: 

CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition
