"""Graph servers: the embedded one, Neo4j, and what differs between them."""
