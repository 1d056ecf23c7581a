"""``python -m tools.illustrations`` makes the pictures and tables of docs/; ``--check`` names what is stale."""

from __future__ import annotations

import sys

from tools.illustrations.made import main

sys.exit(main())
