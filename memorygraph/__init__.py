"""A memory engine for LLM agents that forgets by fusing, and keeps the lineage."""
