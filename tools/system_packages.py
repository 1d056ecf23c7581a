"""Packages of the operating system, installed where that is possible and allowed.

Runs before the virtual environment exists, on the machine's own Python: standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

__all__ = ["MissingProgram", "install"]


class MissingProgram(SystemExit):
    """Something the machine lacks and that cannot be had here; the message says what to install."""


def install(*packages: str, missing: str) -> None:
    """Install Debian ``packages`` with apt, as root or through a ``sudo`` that asks for nothing.

    ``missing`` is the sentence to stop with (:class:`MissingProgram`) where there is no apt, no
    right to use it, or it fails; then apt's own words go to standard error before it.
    """
    apt = shutil.which("apt-get")
    prefix = _privilege()
    if apt is None or prefix is None:
        raise MissingProgram(missing)
    print(f"Installing {', '.join(packages)} with apt.", file=sys.stderr, flush=True)
    command = [*prefix, apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    said = ""
    # The lists of a fresh container are empty; where they are there already, updating them is not needed.
    for attempt in (command, [*prefix, apt, "update", "-qq"], command):
        done = subprocess.run(
            attempt,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if attempt is command and done.returncode == 0:
            return
        said = done.stdout
    print(said, file=sys.stderr)
    raise MissingProgram(missing)


def _privilege() -> list[str] | None:
    """What to put before a command so that it runs as root: nothing, sudo, or None where neither works."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo is None:
        return None
    allowed = subprocess.run([sudo, "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return [sudo, "-n"] if allowed.returncode == 0 else None
