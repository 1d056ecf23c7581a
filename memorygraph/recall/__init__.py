"""Recall: one index per user, searched by words and by vectors, with every filter applied before ranking."""
