"""Every graph statement of memorygraph, and nothing else.

``statements`` maps a name to its :class:`Statement`; ``migrations(dialect)`` lists the schema's
steps. Everything is read and checked when the package is imported: a file that is malformed, or a
user statement that is not bound to its user, raises :class:`CypherFileError` there and then.
"""

from memorygraph_cypher.loader import PARAMETERS, CypherFileError, Migration, Statement, migrations, statements
from memorygraph_cypher.scope import unscoped

__all__ = ["PARAMETERS", "CypherFileError", "Migration", "Statement", "migrations", "statements", "unscoped"]
