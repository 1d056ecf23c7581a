"""The one place that imports litellm: late, because it takes seconds, and with its side effects off."""

from __future__ import annotations

import importlib
import os
import warnings
from functools import cache
from typing import Any

__all__ = ["litellm_module"]


@cache
def litellm_module() -> Any:
    """The module ``litellm``, untyped: what it returns depends on the provider and is checked by the caller."""
    # Otherwise it asks the network for prices while it is imported, and waits six seconds where there is none.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # Pydantic's remark on types of litellm's, made when the first answer comes, is nothing to whoever asks.
    warnings.filterwarnings("ignore", message="Item '.*' on TypedDict class", category=UserWarning)
    module: Any = importlib.import_module("litellm")
    # Otherwise every error is accompanied by advertising on standard output.
    vars(module)["suppress_debug_info"] = True
    return module
