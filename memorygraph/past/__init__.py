"""What was held at an earlier time, told by the events since: of memories, of entities and of their relations."""
