from __future__ import annotations

import subprocess
import sys

HEAVY = ("numpy", "fastembed", "litellm", "onnxruntime", "py_rust_stemmers", "tomllib")


def loaded_by(module: str) -> list[str]:
    program = f"import sys, {module}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.split()


def test_text_embedding_and_extraction_load_what_is_heavy_only_when_they_are_used() -> None:
    assert loaded_by("memorygraph.text") == []
    assert loaded_by("memorygraph.embedding") == []
    assert loaded_by("memorygraph.ingest.formats") == []
    assert loaded_by("memorygraph.extraction.local") == []
    assert loaded_by("memorygraph.recall.process") == ["numpy"]
