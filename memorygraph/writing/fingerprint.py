"""Fingerprints of values, and digests of requests, under the key that only the ledger keeps."""

from __future__ import annotations

import hashlib
import hmac
import json

from memorygraph.text.normalise import NORMALISATION_VERSION, normalise_name, normalise_predicate, normalise_value

__all__ = ["Fingerprints"]


class Fingerprints:
    """HMAC-SHA-256 under the ledger's 32-byte key: without the key nobody guesses an erased value from its hash."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "Fingerprints(key=***)"

    def of_value(self, end_user_id: str, *, about: str | None, text: str) -> str:
        """The fingerprint of a claim, 64 hexadecimal digits.

        ``about`` is who it is about (the speaker): "I moved to Leeds" said by Ana and by Bob are
        two. Case, Unicode form, spacing and punctuation do not matter, as far as
        :func:`memorygraph.text.normalise.normalise_value` folds them.
        """
        who = None if about is None else normalise_name(about)
        return self._digest("value", NORMALISATION_VERSION, end_user_id, who, normalise_value(text))

    def of_claim(self, end_user_id: str, *, about: str, predicate: str, value: str) -> str:
        """The fingerprint of ``predicate`` and ``value`` of whom it is ``about``, however it is worded.

        Two claims of one slot and one value have the same one.
        """
        claim = (normalise_name(about), normalise_predicate(predicate), normalise_value(value))
        return self._digest("claim", NORMALISATION_VERSION, end_user_id, *claim)

    def of_slot(self, end_user_id: str, slot: str) -> str:
        """The key under which the values of one slot (:func:`memorygraph.writing.contradiction.slot_of`) meet."""
        return self._digest("slot", NORMALISATION_VERSION, end_user_id, slot)

    def of_content(self, end_user_id: str, text: str) -> str:
        """The digest of a turn's exact text, 64 hexadecimal digits."""
        return self._digest("content", end_user_id, text)

    def of_words(self, end_user_id: str, words: str) -> str:
        """The digest of a normalised word or phrase, by which an erasure that was cut off knows it again."""
        return self._digest("words", end_user_id, words)

    def of_request(self, end_user_id: str, request: str) -> str:
        """The digest of a whole request, by which a repeated idempotency key is told from a reused one."""
        return self._digest("request", end_user_id, request)

    def key_check(self) -> str:
        """Proves which key it is without giving it away; the graph's Store node holds it."""
        return self._digest("key check")

    def _digest(self, *parts: str | int | None) -> str:
        message = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()
