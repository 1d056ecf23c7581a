"""Find code that nothing uses, with vulture, configured in pyproject.toml.

What is looked for: functions, classes, methods, properties, imports and parameters that nothing
names, and code that cannot be reached. Fields and attributes are not: a record's fields are read
by whoever gets the record.
"""

from __future__ import annotations

import sys
from pathlib import Path

import vulture
from vulture.config import make_config

_CHECKOUT = Path(__file__).resolve().parent.parent
_CERTAIN = 100  # how sure vulture is of parameters and of unreachable code


def main() -> int:
    config = make_config(["--config", str(_CHECKOUT / "pyproject.toml")])
    search = vulture.Vulture(ignore_names=config["ignore_names"], ignore_decorators=config["ignore_decorators"])
    search.scavenge([_CHECKOUT / path for path in config["paths"]])
    found = [
        item
        for item in search.get_unused_code(min_confidence=config["min_confidence"])
        if item.typ not in {"attribute", "variable"} or item.confidence == _CERTAIN
    ]
    for item in found:
        print(f"{Path(item.filename).relative_to(_CHECKOUT)}:{item.first_lineno}: {item.message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
