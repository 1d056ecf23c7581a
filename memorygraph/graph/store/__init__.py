"""The user's part of the graph: one method per statement of ``memorygraph_cypher.statements``, bound to one user."""

from memorygraph.graph.store.access import AccessStatements
from memorygraph.graph.store.checking import CheckingStatements
from memorygraph.graph.store.entities import EntityStatements
from memorygraph.graph.store.erasing import ErasingStatements
from memorygraph.graph.store.fusing import FusionStatements
from memorygraph.graph.store.ingesting import IngestionStatements
from memorygraph.graph.store.reading import ReadingStatements
from memorygraph.graph.store.reviewing import ReviewStatements
from memorygraph.graph.store.writing import WritingStatements

__all__ = ["UserStore"]


class UserStore(
    WritingStatements,
    IngestionStatements,
    ReadingStatements,
    ReviewStatements,
    EntityStatements,
    AccessStatements,
    FusionStatements,
    CheckingStatements,
    ErasingStatements,
):
    """Every statement within one user's memory, in one transaction."""
