"""The command line: ``memorygraph``. Nothing heavy is imported before a command runs."""

from memorygraph_api.cli.app import command_tree, main, run

__all__ = ["command_tree", "main", "run"]
