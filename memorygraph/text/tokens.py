"""Words for lexical search, made by us, so that no text of a user ever reaches a query parser.

Tokens are NFKC and case-folded. Words of a language with data (:mod:`memorygraph.text.languages`)
lose stop words and are stemmed by Snowball; scripts written without spaces give pairs of characters.
A token contains no white space and never begins with ``§``, which marks the scope token.
"""

from __future__ import annotations

import hashlib
import importlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Protocol

from memorygraph.text.languages import language_of_script
from memorygraph.text.normalise import fold
from memorygraph.text.scripts import EMOJI, HAN, HANGUL, KANA, LATIN, UNSPACED_OTHER, marks

__all__ = ["query_tokens", "scope_token", "search_text", "tokenise"]

_SCOPE_MARK = "§"
# Longer words are cut and longer identifiers left to their parts: nobody types them, and servers split them anyway.
_LONGEST = 64
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ", "'"))
_CONNECTORS = re.compile(r"[._\-/@:&']")
_CODE_LIKE = re.compile(r"[\d_@&]")
_LATIN_WORD = re.compile(f"[{LATIN}]+")


class _Stemmer(Protocol):
    def stem_word(self, word: str) -> str: ...


def tokenise(text: str) -> list[str]:
    """The tokens of ``text`` in order, repetitions included, as they are indexed.

    Besides its words a text gives its identifiers whole (``err_7f3a``, ``v2.3.1``, ``ana@example.org``,
    ``c++``) and, of Chinese, single characters. When every word is a stop word, all of them stay:
    what was said can always be found by what was said. Empty without words.
    """
    return _tokens(text, single_characters=True)


def query_tokens(text: str) -> list[str]:
    """The tokens to look for when ``text`` is asked: as :func:`tokenise`, without the single Chinese characters.

    One character of a longer word would match every other word it stands in; alone it is looked for.
    """
    return _tokens(text, single_characters=False)


def scope_token(end_user_id: str) -> str:
    """The token that confines full-text search to one user: ``§`` and 32 hexadecimal digits. No text produces it."""
    return _SCOPE_MARK + hashlib.blake2b(end_user_id.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def search_text(end_user_id: str, text: str, *, speaker: str | None = None, names: Iterable[str] = ()) -> str:
    """What is stored for lexical search: the scope token, then the tokens, separated by single spaces.

    ``speaker`` adds its words once, and ``names`` (of the entities mentioned) those words that are
    not there already.
    """
    tokens = tokenise(text)
    seen = set(tokens)
    for name in ([speaker] if speaker else []) + list(names):
        new = [token for token in dict.fromkeys(tokenise(name)) if token not in seen]
        tokens.extend(new)
        seen.update(new)
    return " ".join([scope_token(end_user_id), *tokens])


def _tokens(text: str, *, single_characters: bool) -> list[str]:
    folded = fold(text).translate(_APOSTROPHES)
    kept = list(_scan(folded, single_characters=single_characters, drop_stop_words=True))
    return kept or list(_scan(folded, single_characters=single_characters, drop_stop_words=False))


def _scan(folded: str, *, single_characters: bool, drop_stop_words: bool) -> Iterator[str]:
    latin_stop, stem = _latin()
    stop = latin_stop if drop_stop_words else frozenset[str]()
    for found in _pattern().finditer(folded):
        match found.lastgroup:
            case "word":
                yield from _word(found.group(), stop, stem)
            case "unspaced":
                yield from _unspaced(found.group(), single_characters, drop_stop_words)
            case "hangul":
                yield from _pairs(found.group())
            case _:
                yield found.group()


def _word(word: str, stop: frozenset[str], stem: Callable[[str], str]) -> Iterator[str]:
    """A word, or several joined by single connectors: whole if it looks like an identifier, and its parts."""
    if word in stop:
        return
    # What follows the apostrophe of it's and Ana's is no word; that of O'Brien and l'amour is one.
    word = word.removesuffix("'s")
    if word[-1] in "+#":
        yield word
        word = word.rstrip("+#")
    parts = _CONNECTORS.split(word)
    if len(parts) > 1 and len(word) <= _LONGEST and _CODE_LIKE.search(word):
        yield word
    for part in parts:
        if part and part not in stop:
            yield (stem(part) if _LATIN_WORD.fullmatch(part) else part)[:_LONGEST]


def _unspaced(run: str, single_characters: bool, drop_stop_words: bool) -> Iterator[str]:
    language = language_of_script("Han")
    stop = language.stop_words if language and drop_stop_words else frozenset[str]()
    if len(run) == 1:
        if run not in stop:
            yield run
        return
    for index, pair in enumerate(_pairs(run)):
        if single_characters and run[index] not in stop and _han().match(run[index]):
            yield run[index]
        if pair not in stop and not (pair[0] in stop and pair[1] in stop):
            yield pair
    if single_characters and run[-1] not in stop and _han().match(run[-1]):
        yield run[-1]


def _pairs(run: str) -> Iterator[str]:
    """Overlapping pairs of characters; a single one stands for itself."""
    if len(run) == 1:
        yield run
    for first, second in itertools.pairwise(run):
        yield first + second


@cache
def _han() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]")


@cache
def _pattern() -> re.Pattern[str]:
    unspaced = HAN + KANA + UNSPACED_OTHER
    letters = f"(?:[^\\W_{unspaced}{HANGUL}][{marks()}]*)+"
    return re.compile(
        f"(?P<word>(?:__)?{letters}(?:[._\\-/@:&']{letters})*(?:__|\\+\\+|\\#(?!{letters}))?)"
        f"|(?P<unspaced>[{unspaced}]+)|(?P<hangul>[{HANGUL}]+)|(?P<emoji>[{EMOJI}])"
    )


@cache
def _latin() -> tuple[frozenset[str], Callable[[str], str]]:
    """Stop words and stemmer of the words in Latin letters."""
    language = language_of_script("Latin")
    if language is None or language.stemmer is None:
        raise RuntimeError("the language data of words in Latin letters are missing")
    # Loaded with the first text and not with the package; by name, because it carries no types.
    stemmer: _Stemmer = importlib.import_module("py_rust_stemmers").SnowballStemmer(language.stemmer)
    corrected = language.stems

    def stem(word: str) -> str:
        return corrected.get(word) or stemmer.stem_word(word)

    return language.stop_words, stem
