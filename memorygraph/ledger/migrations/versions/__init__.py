"""One file a revision. A released one never changes."""
