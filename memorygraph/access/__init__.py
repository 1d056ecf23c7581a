"""Access history: what was used when, and what follows from it."""
