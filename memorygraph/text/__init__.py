"""Text as search, fingerprints and extraction see it: no models, no I/O beyond the language data."""

from memorygraph.text.extract import ExtractedName, extract_names
from memorygraph.text.normalise import NORMALISATION_VERSION, normalise_name, normalise_value
from memorygraph.text.sentences import split_sentences
from memorygraph.text.tokens import query_tokens, scope_token, search_text, tokenise

__all__ = [
    "NORMALISATION_VERSION",
    "ExtractedName",
    "extract_names",
    "normalise_name",
    "normalise_value",
    "query_tokens",
    "scope_token",
    "search_text",
    "split_sentences",
    "tokenise",
]
