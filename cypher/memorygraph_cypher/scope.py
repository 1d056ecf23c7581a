"""The proof that a statement stays within one user.

Our house rule is stricter than what would be sound, so that it can be checked without a Cypher
parser: every node pattern that introduces a node, and every relationship pattern, names
``end_user_id: $end_user_id`` in its own property map. A node pattern without a map, such as
``(s)``, must use a variable that an earlier pattern introduced. So a walk that meets another
user's node, or an edge planted between two users, ends there.
"""

from __future__ import annotations

import re

__all__ = ["unscoped"]

_BOUND = re.compile(r"\{[^{}]*\bend_user_id\s*:\s*\$end_user_id\b[^{}]*\}")
_LITERALS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_NODE = re.compile(r"(?<![\w)])\(\s*([A-Za-z_]\w*)?\s*((?::|IS\b)[^(){}]*)?(\{[^{}]*\})?\s*\)")
_RELATIONSHIP = re.compile(r"(?:<-|-)\s*\[([^\[\]]*)\]\s*(?:->|-)")
_BARE_RELATIONSHIP = re.compile(r"\)\s*(?:<--|-->|--)\s*\(")
# An alias of a bound node is bound; what a procedure yields is of any user and has to be matched again.
_ALIAS = re.compile(r"\bAS\s+([A-Za-z_]\w*)", re.IGNORECASE)
_YIELD = re.compile(
    r"\bYIELD\b.*?(?=\b(?:WITH|MATCH|RETURN|WHERE|OPTIONAL|UNWIND|CALL)\b|$)", re.IGNORECASE | re.DOTALL
)
# These hand out the ends of a relationship without asking whose they are.
_ESCAPE = re.compile(r"\b(?:startNode|endNode|nodes|relationships)\s*\(", re.IGNORECASE)
# Patterns may stand in these places only; elsewhere parentheses are grouping.
_KEYWORD_BEFORE = re.compile(
    r"(?:\b(?:MATCH|MERGE|CREATE|EXISTS|COUNT|COLLECT|WHERE|AND|OR|NOT|XOR|shortestPath|IN)\b\s*\{?\s*|[-\]>,{\[|=(]\s*)$",
    re.IGNORECASE,
)


def _without_literals(text: str) -> str:
    return _LITERALS.sub(lambda m: " " * len(m[0]), text)


def unscoped(text: str) -> list[str]:
    """The patterns of ``text`` that are not bound to ``$end_user_id``; empty when it is all bound.

    A node pattern counts as one when it stands where Cypher allows a pattern: after a clause
    keyword, a relationship, a comma or an opening bracket. String literals and comments are left
    out of account.
    """
    body = _without_literals(text)
    found: list[str] = []
    introduced = set(_ALIAS.findall(_YIELD.sub("", body)))
    for match in _NODE.finditer(body):
        variable, labels, properties = match[1], match[2], match[3]
        pattern = " ".join(match[0].split())
        before = body[: match.start()]
        if not _KEYWORD_BEFORE.search(before):
            continue
        if properties and _BOUND.search(properties):
            if variable:
                introduced.add(variable)
        elif labels or properties or variable is None or (variable not in introduced and _is_pattern(body, match)):
            found.append(pattern)
    found += ["".join(m[0].split()) for m in _RELATIONSHIP.finditer(body) if not _BOUND.search(m[1])]
    found += ["".join(m[0].split()) for m in _BARE_RELATIONSHIP.finditer(body)]
    found += [m[0] + "…)" for m in _ESCAPE.finditer(body)]
    return found


def _is_pattern(body: str, match: re.Match[str]) -> bool:
    """Whether ``(x)`` is a node pattern and not an expression in parentheses."""
    clause = re.search(r"\b(MATCH|MERGE|CREATE)\s*$", body[: match.start()], re.IGNORECASE)
    after = body[match.end() :].lstrip()[:2]
    before = body[: match.start()].rstrip()[-1:]
    return clause is not None or after in ("-[", "<-", "--") or before in ("-", ">")
