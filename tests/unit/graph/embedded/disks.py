"""Disks that are really full or really read-only, for a Python program that runs on them in a process of its own.

Where the kernel allows it (root, or unprivileged user namespaces), the disk is a small tmpfs in a mount namespace that
ends with the process. Where it does not, writing fails for another real reason: a full disk becomes the
process's limit on the size of files (``EFBIG`` in place of ``ENOSPC``), a read-only disk a folder without write
permission (``EACCES`` in place of ``EROFS``), looked at without the privilege to pass over permissions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Literal

__all__ = ["Disk", "run_on"]

Disk = Literal["roomy", "full", "read-only"]

_ENTER = ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else [])]
# Without these, root too minds the permissions of its own files.
_WITHOUT_PRIVILEGE = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []

# The program under test is between the two parts; `folder` is on the disk, and `result` is what it finds out.
_PREPARE = """
import errno, json, os, resource, subprocess, sys
from pathlib import Path

disk, mounted, folder = sys.argv[1], sys.argv[2] == "mounted", Path(sys.argv[3])
if mounted:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=True)
folder = folder / "data"
(folder / "graph").mkdir(parents=True)
(folder / "graph" / "something").write_text("of value")

def contents():
    files = {str(p): (p.read_bytes(), p.stat().st_mtime_ns, p.stat().st_mode) for p in folder.rglob("*") if p.is_file()}
    return files, sorted(str(p) for p in folder.rglob("*"))

if disk == "full" and mounted:
    with (folder / "ballast").open("wb", buffering=0) as ballast:
        try:
            while ballast.write(bytes(4096)):
                pass
        except OSError as error:
            assert error.errno == errno.ENOSPC, error
elif disk == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
elif disk == "read-only" and mounted:
    subprocess.run(["mount", "-o", "remount,bind,ro", str(folder.parent)], check=True)
elif disk == "read-only":
    for path in (folder / "graph", folder):
        path.chmod(0o555)
before = contents()
result = None
"""

_TELL = """
print(json.dumps({"result": result, "untouched": contents() == before}))
"""


@cache
def _can_mount() -> bool:
    trial = [*_ENTER, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    try:
        return subprocess.run(trial, capture_output=True, timeout=30, check=False).returncode == 0
    except FileNotFoundError:
        return False


def run_on(disk: Disk, program: str, folder: Path) -> dict[str, Any]:
    """Run ``program``, which finds the ``pathlib.Path`` ``folder`` and sets ``result``, on such a disk.

    Returns ``result`` and ``untouched``: whether every file that was there before is as it was, and none came.
    """
    mounted = _can_mount()
    argv = [sys.executable, "-c", _PREPARE + program + _TELL, disk, "mounted" if mounted else "bare", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [*(_ENTER if mounted else _WITHOUT_PRIVILEGE), *argv],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise AssertionError(f"the program failed on the {disk} disk:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
