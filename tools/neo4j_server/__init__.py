"""Neo4j Community, for tests, benchmarks and `make neo4j`: fetched as jars, started, stopped."""
