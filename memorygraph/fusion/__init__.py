"""Forgetting: what has gone cold is fused into summaries that keep their lineage."""
