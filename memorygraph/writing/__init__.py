"""Writing memories: one path, one transaction, one event."""
