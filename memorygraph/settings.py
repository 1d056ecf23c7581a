"""Settings, from arguments, ``MEMORYGRAPH_*`` environment variables and ``memorygraph.toml``, in that order.

The file is looked for where ``MEMORYGRAPH_CONFIG`` points, else in the working directory. A name
that is not a setting is refused with the nearest one, wherever it came from.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from memorygraph.errors import ConfigurationError, UnknownSetting

__all__ = ["Settings", "load_settings"]

_PREFIX = "MEMORYGRAPH_"
# Read by the tools around the engine, so not a setting of it, and not a mistake either.
_CONFIG_VARIABLE = "MEMORYGRAPH_CONFIG"


class Settings(BaseSettings):
    """Everything that can be configured. Each field is also the variable ``MEMORYGRAPH_<FIELD>``."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, extra="forbid", frozen=True, toml_file="memorygraph.toml")

    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("memorygraph", appauthor=False)),
        description="Folder of the embedded graph, the SQLite ledger and the assembled embedding model.",
    )
    end_user_id: str = Field(default="default", description="The user the command line acts for.")

    neo4j_uri: str | None = Field(
        default=None,
        pattern=r"^(neo4j|bolt)(\+s|\+ssc)?://",
        description="A Neo4j server, 5.26 or newer: neo4j://, bolt:// and their TLS forms. Unset: the embedded server.",
    )
    neo4j_user: str = Field(default="neo4j", description="User name on the Neo4j server.")
    neo4j_password: SecretStr | None = Field(default=None, description="Its password. Unset: no authentication.")
    neo4j_database: str = Field(default="neo4j", description="Database on the Neo4j server.")
    neo4j_pool_size: int = Field(default=50, ge=1, le=1000, description="Most connections to the graph server.")
    neo4j_connect_timeout_seconds: float = Field(default=15, gt=0, description="Time to open one connection.")
    neo4j_transaction_timeout_seconds: float = Field(
        default=30, gt=0, description="Time one transaction may take, its retries included."
    )

    embedded_heap_mb: int = Field(default=512, ge=128, le=65536, description="Heap of the embedded graph server.")
    embedded_idle_seconds: float = Field(
        default=30, ge=0, le=3600, description="How long the embedded server outlives its last client."
    )

    ledger_url: SecretStr | None = Field(
        default=None,
        description="postgresql://… or sqlite:///… of the ledger. Unset: ledger.sqlite in the data folder.",
    )

    embedder: str = Field(
        default="auto",
        description="auto (the bundled model, else a small download), a fastembed model name, a folder with an ONNX "
        "model, or litellm:<model>.",
    )
    embedder_threads: int = Field(
        default=2, ge=1, le=64, description="Passes of the embedding model that run side by side, each on one thread."
    )
    recall_cache_mb: int = Field(
        default=512, ge=16, description="Memory for the recall indexes of all users together; the least used leave."
    )

    job_concurrency: int = Field(default=2, ge=1, le=64, description="Jobs, such as ingestions, that run at once.")
    link_floor: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="Cosine from which a new memory is linked to one that is there. Fits the bundled model.",
    )
    derived_trust: Literal["candidate", "accepted"] = Field(
        default="candidate", description="Trust of what a model derived, before anybody has looked at it."
    )
    review_sources: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Independent sources that make a candidate accepted without a person; 0: none do.",
    )

    llm_model: str | None = Field(
        default=None,
        description="The language model in litellm's notation, such as openai/gpt-4o-mini or ollama/llama3.2.",
    )
    llm_api_base: str | None = Field(
        default=None, description="Address of the language model's service. Unset: the provider's own."
    )
    llm_api_key: SecretStr | None = Field(
        default=None, description="Its key. Unset: litellm's own variables, such as OPENAI_API_KEY."
    )
    llm_timeout_seconds: float = Field(default=60, gt=0, le=3600, description="Time to wait for the language model.")
    llm_max_output_tokens: int = Field(
        default=2048, ge=256, le=131_072, description="Most tokens of one answer of the language model."
    )
    llm_context_tokens: int = Field(
        default=8192,
        ge=2048,
        description="Tokens the language model reads and writes at once; they bound the stretch of text it is given.",
    )

    @field_validator("data_dir", mode="after")
    @classmethod
    def _expand(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator(
        "neo4j_uri", "neo4j_password", "ledger_url", "llm_model", "llm_api_base", "llm_api_key", mode="before"
    )
    @classmethod
    def _empty_is_unset(cls, value: object) -> object:
        return None if value == "" else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        file = Path(os.environ.get(_CONFIG_VARIABLE) or "memorygraph.toml").expanduser()
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, file)


def _refuse_unknown(names: list[str], *, where: str, spell: str = "") -> None:
    known = list(Settings.model_fields)
    for name in names:
        if name.lower() in known:
            continue
        near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
        hint = (
            f"Did you mean {spell}{near[0].upper() if spell else near[0]}?" if near else f"Known: {', '.join(known)}."
        )
        raise UnknownSetting(f"{spell}{name} ({where}) is not a setting.", hint=hint)


def load_settings(**overrides: Any) -> Settings:
    """The settings in force, ``overrides`` before environment before file.

    Raises :class:`UnknownSetting` for a name that is none, and :class:`ConfigurationError` for a
    value that does not fit or a file that cannot be read. Secrets never appear in the message.
    """
    variables = [n[len(_PREFIX) :] for n in os.environ if n.startswith(_PREFIX) and n != _CONFIG_VARIABLE]
    _refuse_unknown(variables, where="environment", spell=_PREFIX)
    _refuse_unknown(list(overrides), where="argument")
    configured = os.environ.get(_CONFIG_VARIABLE)
    file = Path(configured or "memorygraph.toml").expanduser()
    if configured and not file.is_file():
        raise ConfigurationError(f"{_CONFIG_VARIABLE} names {file}, which is not a file.")
    if file.is_file():
        try:
            _refuse_unknown(list(tomllib.loads(file.read_text(encoding="utf-8"))), where=str(file))
        except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{file} cannot be read: {error}") from error
    try:
        return Settings(**overrides)
    except ValidationError as error:
        reasons = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors(include_input=False))
        raise ConfigurationError(f"Settings that cannot be used: {reasons}.") from None
