"""Entities: their names, cards, merges and relations."""
