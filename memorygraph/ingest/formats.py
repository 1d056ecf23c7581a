"""Reading what is to be remembered: Markdown, plain text, and conversations in JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, get_args

from memorygraph.errors import InvalidInput
from memorygraph.ingest.decoding import check_legible, decoded, is_visible, json_lines, json_value
from memorygraph.ingest.markdown import Section, blocks_of, document_title, sections_of
from memorygraph.ingest.sources import DocumentSource, Source
from memorygraph.ingest.transcripts import is_locomo, is_messages, read_locomo, read_messages
from memorygraph.validation import MAX_TITLE, check_choice, check_line

__all__ = ["FORMATS", "MAX_SOURCE_BYTES", "read_source"]

Format = Literal["markdown", "text", "messages", "locomo"]
FORMATS: tuple[str, ...] = get_args(Format)

MAX_SOURCE_BYTES = 5_000_000
"""Of one source, in UTF-8."""

_LONGEST_NAME = 1000
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
_JSON_LINES = (".jsonl", ".ndjson")
_JSON = (".json", *_JSON_LINES)
_FOREIGN = {
    ".pdf": "PDF",
    ".docx": "Word",
    ".doc": "Word",
    ".odt": "OpenDocument",
    ".rtf": "RTF",
    ".pptx": "PowerPoint",
    ".xlsx": "Excel",
    ".epub": "EPUB",
    ".html": "HTML",
    ".htm": "HTML",
    ".xhtml": "HTML",
}
_MAGIC = {
    b"%PDF-": "PDF",
    b"PK\x03\x04": "a ZIP archive, as Word, OpenDocument and EPUB files are",
    b"\xd0\xcf\x11\xe0": "an old Office file, as Word's are",
    b"{\\rtf": "RTF",
    b"\x1f\x8b": "compressed by gzip",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
}
_HTML = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)


def read_source(data: bytes | str, *, name: str | None, format: str | None = None) -> Source:
    """What ``data`` holds: the turns of a conversation, or a document with its sections.

    ``format`` is one of :data:`FORMATS`; without it, the ending of ``name`` tells (``.md``; ``.json``, ``.jsonl``;
    anything else is plain text). Without an ending, a transcript in JSON is recognised as one and everything else is
    read as Markdown.

    Raises :class:`InvalidInput`, which says what is wrong and where: more than :data:`MAX_SOURCE_BYTES`, nothing
    visible, another encoding than UTF-8 (or UTF-16 with a byte-order mark), control characters and lone surrogates, an
    office, HTML or other file that has to be converted first, and a transcript that is not in its format.
    """
    if name is not None:
        check_line(name, field="name", longest=_LONGEST_NAME)
    if format is not None:
        check_choice(format, field="format", choices=FORMATS)
    path = PurePath((name or "").lower())
    if format is None and path.suffix in _FOREIGN:
        raise _foreign(_FOREIGN[path.suffix])
    text = _text(data)
    if format is None and _HTML.match(text):
        raise _foreign("HTML")
    if format in ("messages", "locomo") or (format is None and path.suffix in _JSON):
        return _transcript(_values(text, lines=path.suffix in _JSON_LINES), format)
    if format is None and not path.suffix and (values := _recognised(text)) is not None:
        return _transcript(values, None)
    is_text = format == "text" or (format is None and path.suffix not in ("", *_MARKDOWN))
    return _document(text, PurePath(name).stem if name else None, is_text=is_text)


def _text(data: bytes | str) -> str:
    if isinstance(data, str):
        text = data.removeprefix("\ufeff")
        # Text that has too many characters already is not encoded just to be measured.
        _check_size(len(text) if len(text) > MAX_SOURCE_BYTES else len(text.encode("utf-8", "surrogatepass")))
    elif isinstance(data, bytes):
        _check_size(len(data))
        foreign = next((what for magic, what in _MAGIC.items() if data.startswith(magic)), None)
        if foreign is not None:
            raise _foreign(foreign)
        text = decoded(data)
    else:
        raise InvalidInput(f"data is neither text nor bytes but {type(data).__name__}.", field="data")
    check_legible(text)
    if not is_visible(text):
        raise InvalidInput("The source is empty: it has no visible character.", field="data")
    return text


def _check_size(size: int) -> None:
    if size > MAX_SOURCE_BYTES:
        raise InvalidInput(
            f"The source has {size:,} bytes, at most {MAX_SOURCE_BYTES:,} are allowed.",
            field="data",
            hint="Split it into several.",
        )


def _foreign(what: str) -> InvalidInput:
    return InvalidInput(
        f"The source is {what}, which is not read.", field="data", hint="Convert it to Markdown or plain text."
    )


@dataclass(frozen=True, slots=True)
class _Values:
    content: Any  # decoded JSON
    lines: list[int] | None  # where each item stands, when every line is a value of its own


def _values(text: str, *, lines: bool) -> _Values:
    if lines or _is_lines(text):
        numbered = list(json_lines(text))
        return _Values([value for _, value in numbered], [number for number, _ in numbered])
    return _Values(json_value(text), None)


def _is_lines(text: str) -> bool:
    """Whether the first line is an object and there are others: no JSON value goes on like that."""
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip() or not (first.startswith("{") and first.rstrip().endswith("}")):
        return False
    try:
        json_value(first)
    except InvalidInput:
        return False
    return True


def _recognised(text: str) -> _Values | None:
    """The values of ``text`` if it is JSON and a transcript; None for anything else, which is a document."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        values = _values(text, lines=False)
    except InvalidInput:
        return None
    return values if is_locomo(values.content) or is_messages(values.content) else None


def _transcript(values: _Values, format: str | None) -> Source:
    if format == "locomo" or (format is None and is_locomo(values.content)):
        return read_locomo(values.content)
    if format == "messages" or is_messages(values.content):
        return read_messages(values.content, lines=values.lines)
    raise InvalidInput(
        "The JSON is no transcript that is known.",
        field="data",
        hint='Known are messages with "role" and "content", conversations with "messages", and LoCoMo\'s format.',
    )


def _document(text: str, stem: str | None, *, is_text: bool) -> DocumentSource:
    title = stem[:MAX_TITLE] if stem and is_visible(stem) else None
    if is_text:
        return DocumentSource(title=title, text=text, sections=(Section((), 0, len(text)),))
    blocks = blocks_of(text, front_matter=True)
    return DocumentSource(title=document_title(text, blocks) or title, text=text, sections=sections_of(text, blocks))
