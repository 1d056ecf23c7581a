"""``python -m memorygraph_api.cli`` is ``memorygraph``."""

from memorygraph_api.cli.app import main

main()
