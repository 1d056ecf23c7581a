"""The command line: ``memorygraph``. Nothing heavy is imported before a command runs."""

from memorygraph_api.cli.app import app, main, run

__all__ = ["app", "main", "run"]
