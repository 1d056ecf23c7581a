"""Erasing for good: a value, or words, out of both stores; a log says that it happened and not what it was."""

from memorygraph.erasing.erasing import Erasing
from memorygraph.erasing.records import Erased

__all__ = ["Erased", "Erasing"]
