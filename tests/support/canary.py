"""Looking for words in every corner of a store, the way somebody would who has its files."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from pathlib import Path

from sqlalchemy import select

from memorygraph.ledger.database import Database
from memorygraph.ledger.location import locate
from memorygraph.ledger.tables import metadata
from tests.support.raw_graph import RawGraph

__all__ = ["words_in_files", "words_in_graph", "words_in_ledger"]

_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
# How streams of zlib and gzip begin.
_COMPRESSED = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08")
_LONGEST_STREAM = 1 << 20


def words_in_files(folder: Path, words: Iterable[str]) -> dict[str, set[str]]:
    """The files below ``folder`` that hold one of ``words``, as plain text or inside a compressed stream."""
    patterns = {word: [word.encode(encoding) for encoding in _ENCODINGS] for word in words}
    found: dict[str, set[str]] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        for data in _readings(path.read_bytes()):
            for word, spellings in patterns.items():
                if any(spelling in data for spelling in spellings):
                    found.setdefault(str(path.relative_to(folder)), set()).add(word)
    return found


def _readings(data: bytes) -> Iterable[bytes]:
    """``data``, and what each stream that seems to begin in it expands to."""
    yield data
    for match in _COMPRESSED.finditer(data):
        stream = zlib.decompressobj(wbits=47)  # either kind
        try:
            yield stream.decompress(data[match.start() :], _LONGEST_STREAM)
        except zlib.error:
            continue


async def words_in_graph(raw: RawGraph, end_user_id: str, words: Iterable[str]) -> set[str]:
    """Those of ``words`` that a node or relationship of the user holds in any property, in any letter case."""
    told = repr(await raw.everything(end_user_id)).casefold()
    return {word for word in words if word.casefold() in told}


async def words_in_ledger(url: str, end_user_id: str, words: Iterable[str]) -> set[str]:
    """Those of ``words`` that a row of the user holds in any column of any table of the ledger at ``url``."""
    database = Database(locate(url, data_dir=Path()))
    told = ""
    try:
        for table in metadata.tables.values():
            if "end_user_id" in table.c:
                rows = await database.read_rows(select(table).where(table.c.end_user_id == end_user_id))
                told += repr([dict(row) for row in rows]).casefold()
    finally:
        await database.close()
    return {word for word in words if word.casefold() in told}
