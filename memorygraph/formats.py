"""Versions of what is derived and stored, so that a store is never read with other rules than it was written with."""

__all__ = ["INDEX_FORMAT"]

INDEX_FORMAT = 1  # of search_text and embedding, as recall reads them
