from pathlib import Path

import pytest

from memorygraph.errors import ConfigurationError, UnknownSetting
from memorygraph.settings import load_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_arguments_go_before_the_environment_and_that_before_the_file(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "memorygraph.toml").write_text('embedder_threads = 3\nembedded_heap_mb = 300\nend_user_id = "ana"\n')
    monkeypatch.setenv("MEMORYGRAPH_EMBEDDED_HEAP_MB", "400")
    monkeypatch.setenv("MEMORYGRAPH_END_USER_ID", "bob")
    settings = load_settings(end_user_id="cyd")
    assert (settings.embedder_threads, settings.embedded_heap_mb, settings.end_user_id) == (3, 400, "cyd")


def test_a_file_named_by_the_environment_is_read(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (elsewhere / "other.toml").write_text("embedder_threads = 5\n")
    monkeypatch.setenv("MEMORYGRAPH_CONFIG", str(elsewhere / "other.toml"))
    assert load_settings().embedder_threads == 5
    monkeypatch.setenv("MEMORYGRAPH_CONFIG", str(elsewhere / "absent.toml"))
    with pytest.raises(ConfigurationError, match="absent"):
        load_settings()


def test_an_unknown_setting_is_refused_with_the_near_name_wherever_it_stands(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_settings()
    with pytest.raises(UnknownSetting, match="data_dir"):
        load_settings(data_dirr="/x")
    monkeypatch.setenv("MEMORYGRAPH_NEO4J_URL", "bolt://localhost")
    with pytest.raises(UnknownSetting, match="MEMORYGRAPH_NEO4J_URI"):
        load_settings()
    monkeypatch.delenv("MEMORYGRAPH_NEO4J_URL")
    (elsewhere / "memorygraph.toml").write_text("embeder = 'auto'\n")
    with pytest.raises(UnknownSetting, match="embedder"):
        load_settings()


def test_a_value_that_does_not_fit_is_refused_and_no_secret_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYGRAPH_NEO4J_PASSWORD", "hunter2")
    with pytest.raises(ConfigurationError) as caught:
        load_settings(embedded_heap_mb="much", neo4j_uri="http://localhost")
    assert "embedded_heap_mb" in str(caught.value)
    assert "neo4j_uri" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(load_settings())


def test_a_home_folder_is_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings(data_dir="~/memories").data_dir == tmp_path / "memories"


def test_a_file_that_is_no_toml_is_refused(elsewhere: Path) -> None:
    (elsewhere / "memorygraph.toml").write_text("this is not toml")
    with pytest.raises(ConfigurationError, match=r"memorygraph\.toml"):
        load_settings()
