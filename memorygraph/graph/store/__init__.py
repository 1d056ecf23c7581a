"""The user's part of the graph: one method per statement of ``memorygraph_cypher.statements``, bound to one user."""

from memorygraph.graph.store.access import AccessStatements
from memorygraph.graph.store.fusing import FusionStatements
from memorygraph.graph.store.reading import ReadingStatements
from memorygraph.graph.store.writing import WritingStatements

__all__ = ["UserStore"]


class UserStore(WritingStatements, ReadingStatements, AccessStatements, FusionStatements):
    """Every statement within one user's memory, in one transaction."""
