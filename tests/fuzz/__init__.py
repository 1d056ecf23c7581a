"""Inputs of every kind, sent to the verbs that write."""
