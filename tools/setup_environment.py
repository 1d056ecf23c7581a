"""Make or refresh the virtual environment ``.venv`` of the checkout, from requirements.lock.

``python tools/setup_environment.py run`` installs what running memorygraph takes, with the
embedded graph server; ``… develop`` adds what tests and checks need. Every file that is
installed is checked against a hash in the lock. Runs on the machine's own Python: standard
library only.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(_CHECKOUT))  # run as a file, by a Python that has nothing of ours

from tools.system_packages import MissingProgram, install  # noqa: E402

_VENV = _CHECKOUT / ".venv"
_PYTHON = _VENV / "bin" / "python"
_UV = _VENV / "bin" / "uv"
_LOCK = _CHECKOUT / "requirements.lock"


def _run(*command: str | Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=_CHECKOUT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise SystemExit(f"Setting up .venv failed at: {' '.join(map(str, command))}")


def _succeeds(*command: str | Path) -> bool:
    try:
        return subprocess.run([str(part) for part in command], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _make_venv() -> None:
    """A working .venv with pip, of the Python that runs this."""
    if _succeeds(_PYTHON, "-c", "import sys; raise SystemExit(not (3, 11) <= sys.version_info[:2] < (3, 14))"):
        return
    if not _succeeds(sys.executable, "-c", "import ensurepip, venv"):
        missing = (
            f"{sys.executable} lacks its venv module: install it (on Debian: apt install python3-venv), or name "
            "another Python with `make PYTHON=…`."
        )
        if not sys.executable.startswith("/usr/bin/"):
            raise MissingProgram(missing)
        install(f"python{sys.version_info.major}.{sys.version_info.minor}-venv", missing=missing)
    _run(sys.executable, "-m", "venv", "--clear", _VENV)


def _pinned(name: str) -> str:
    """The lines of ``name`` in the lock: its version and hashes."""
    block = re.search(rf"^{name}==.*?(?=^\S|\Z)", _LOCK.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if block is None:
        raise SystemExit(f"requirements.lock does not pin {name}.")
    return block[0]


def _install_uv() -> None:
    block = _pinned("uv")
    version = re.match(r"uv==(\S+)", block)
    assert version is not None
    if _succeeds(_UV, "--version"):
        told = subprocess.run([_UV, "--version"], capture_output=True, text=True, check=True).stdout
        if told.split()[1] == version[1]:
            return
    if not _succeeds(_PYTHON, "-m", "pip", "--version"):
        # An environment that uv made. What this prints helps nobody; what it lacks, the next step tells.
        _succeeds(_PYTHON, "-m", "ensurepip", "--upgrade")
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "uv.txt"
        requirements.write_text(block, encoding="utf-8")
        _run(_PYTHON, "-m", "pip", "install", "-q", "--require-hashes", "-r", requirements)


def main(purpose: str) -> None:
    print("Setting up .venv from requirements.lock, once.", file=sys.stderr, flush=True)
    _make_venv()
    _install_uv()
    # Compiled once, here: where Python may not write bytecode, every command would compile seconds of imports.
    common: list[str | Path] = [_UV, "pip", "install", "-q", "--compile-bytecode", "--python", _PYTHON]
    common += ["--build-constraints", _LOCK]
    if purpose == "develop":
        if sys.platform == "linux" and shutil.which("strace") is None:
            install("strace", missing="strace is missing, with which tests count flushes to disk: install it.")
        _run(*common, "--require-hashes", "-r", _LOCK)
        _run(*common, "--no-deps", "--editable", ".")
    else:
        # The lock names the development tools too; as constraints it pins, and checks, only what is installed.
        _run(*common, "--constraints", _LOCK, "--editable", ".[embedded]")
    # The graph server's starts are twice as fast with it, and as good without.
    _succeeds(_PYTHON, "-m", "memorygraph.graph.embedded.start_cache")


if __name__ == "__main__":
    if sys.argv[1:] not in (["run"], ["develop"]):
        raise SystemExit("usage: setup_environment.py run|develop")
    main(sys.argv[1])
