from __future__ import annotations

import importlib.util
import platform
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from memorygraph.errors import MissingExtra, PlatformUnsupported
from memorygraph.graph.embedded.platforms import server_home, server_version


@pytest.fixture
def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's package is not installed."""
    find_spec = importlib.util.find_spec

    def find_another(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "arcadedb_embedded" else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_another)


def be(monkeypatch: pytest.MonkeyPatch, system: str, machine: str, libc: tuple[str, str]) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(platform, "libc_ver", lambda: libc)


def test_the_installed_server_is_found_with_its_java() -> None:
    home = server_home()

    assert list(home.glob("jars/arcadedb-server-*.jar"))
    assert list(Path(home, "jre", "bin").glob("java*"))
    assert server_version() == "26.10.2.post1"


@pytest.mark.usefixtures("without_package")
@pytest.mark.parametrize(
    ("system", "machine", "libc"),
    [
        ("linux", "x86_64", ("glibc", "2.34")),
        ("linux", "aarch64", ("glibc", "2.41")),
        ("darwin", "arm64", ("", "")),
        ("win32", "AMD64", ("", "")),
    ],
)
def test_a_supported_platform_without_the_package_is_told_what_to_install(
    system: str, machine: str, libc: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be(monkeypatch, system, machine, libc)

    with pytest.raises(MissingExtra, match=r'pip install "memorygraph\[embedded\]"'):
        server_home()


@pytest.mark.usefixtures("without_package")
@pytest.mark.parametrize(
    ("system", "machine", "libc", "reason"),
    [
        ("linux", "riscv64", ("glibc", "2.41"), "on riscv64"),
        ("linux", "x86_64", ("glibc", "2.31"), "glibc 2.31"),
        ("linux", "x86_64", ("", ""), "without glibc"),
        ("darwin", "x86_64", ("", ""), "on x86_64"),
        ("win32", "ARM64", ("", ""), "on ARM64"),
        ("freebsd14", "amd64", ("", ""), "on amd64"),
    ],
)
def test_a_platform_without_a_package_is_sent_to_a_server(
    system: str, machine: str, libc: tuple[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    be(monkeypatch, system, machine, libc)

    with pytest.raises(PlatformUnsupported, match="MEMORYGRAPH_NEO4J_URI") as refused:
        server_home()

    assert reason in refused.value.message
