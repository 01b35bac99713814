from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import pytest

from paperless_fingerprint.errors import ConfigurationError, ExitCode
from paperless_fingerprint.settings import loading, registry
from paperless_fingerprint.settings.addresses import parts_of

SOURCE = Path(registry.__file__).parent


def load(environment: dict[str, str] | None = None, **flags: object) -> registry.Settings:
    return loading.load(
        {name.replace("__", "."): value for name, value in flags.items()}, environment or {}
    )  # type: ignore[misc]


@pytest.fixture(autouse=True)
def _no_file_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))


def test_flag_before_environment_before_file_before_default(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('store = "sqlite:///file.db"\nmin_words = 30\n[near]\nthreshold = 0.9\n')
    environment = {
        "PAPERLESS_FINGERPRINT_CONFIG": str(file),
        "PAPERLESS_FINGERPRINT_MIN_WORDS": "25",
        "PAPERLESS_FINGERPRINT_STORE": "sqlite:///environment.db",
    }
    found = load(environment, store="sqlite:///flag.db")
    assert (found.store, found.origins["store"]) == ("sqlite:///flag.db", "flag")
    assert (found.min_words, found.origins["min_words"]) == (25, "environment")
    assert (found.near.threshold, found.origins["near.threshold"]) == (0.9, str(file))
    assert (found.version.threshold, found.origins["version.threshold"]) == (0.75, "default")


def test_a_file_that_is_nested_without_end(tmp_path: Path) -> None:
    (tmp_path / "deep.toml").write_text("store = " + "[" * 100_000)
    with pytest.raises(ConfigurationError, match=r"deep\.toml"):
        loading.load({}, {}, tmp_path / "deep.toml")


@pytest.mark.parametrize("address", ["http://[", "http://[::1", "http://h:99999", "http://\udcff"])
def test_what_is_no_address_has_no_parts(address: str) -> None:
    assert parts_of(address) is None


def test_the_defaults_of_the_design() -> None:
    found = load()
    assert astuple(found.weights) == (40, 30, 15, 15)
    spec = found.spec()
    assert (spec.shingle_words, spec.min_words, spec.permutations, spec.bands) == (3, 20, 192, 48)
    assert found.exact_min_words == 8
    assert found.similarity_threshold == 0.75
    assert (found.near.threshold, found.version.threshold) == (0.85, 0.75)
    assert (found.exact.policy, found.near.policy) == ("warn", "warn")
    assert found.semantic.enabled is False
    assert found.store.startswith("sqlite:///")


def test_names_in_the_environment() -> None:
    names = {setting.variable for setting in registry.REGISTRY}
    assert {
        "PAPERLESS_FINGERPRINT_STORE",
        "PAPERLESS_FINGERPRINT_PAPERLESS_URL",
        "PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN",
        "PAPERLESS_FINGERPRINT_SERVICE_URL",
        "PAPERLESS_FINGERPRINT_SERVICE_SECRET",
        "PAPERLESS_FINGERPRINT_SPOOL",
        "PAPERLESS_FINGERPRINT_SEMANTIC_ENABLED",
    } <= names
    assert len(names) == len(registry.REGISTRY)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("NEAR_THRESHOLD", "1.5", "between 0 and 1"),
        ("NEAR_THRESHOLD", "nan", "not a number"),
        ("NEAR_THRESHOLD", "high", "not a number"),
        ("MIN_WORDS", "2.5", "not a whole number"),
        ("MIN_WORDS", "-1", "20 works"),
        ("SEMANTIC_ENABLED", "perhaps", "not true or false"),
        ("EXACT_POLICY", "delete", "warn, skip, replace"),
        ("FINGERPRINT_BANDS", "50", "bands = 48"),
        ("WEIGHTS_JACCARD", "50", "sum up to 110"),
        ("VERSION_THRESHOLD", "0.9", "0.75 and 0.85 work"),
    ],
)
def test_a_wrong_value_names_the_setting_and_one_that_works(
    variable: str, value: str, words: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load({f"PAPERLESS_FINGERPRINT_{variable}": value})
    assert variable.rsplit("_", 1)[-1].lower() in str(caught.value).lower()
    assert words in str(caught.value)
    assert caught.value.exit_code is ExitCode.CONFIGURATION


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("min_word = 3", "Did you mean 'min_words'?"),
        ("[near]\ntreshold = 0.5", "Did you mean 'near.threshold'?"),
        ("= 3", "not valid TOML"),
        ("min_words = true", "not a whole number"),
        ("store = 3", "not text"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        loading.load({}, {}, file)
    assert words in str(caught.value)


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not there"):
        loading.load({}, {}, tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://anna:s3cr3t@host:9200", "http://(hidden)@host:9200"),
        ("https://u:s3@cr3t@h,https://u:s3,cr3t@g", "https://(hidden)@h,https://(hidden)@g"),
        ("http://u:s3/cr3t@h, http://b", "http://(hidden)@h, http://b"),
        ("http://s3cr3t@[::1", "http://(hidden)@[::1"),
        ("sqlite:////home/a@b/library.db", "sqlite:////home/a@b/library.db"),
        ("http://host/documents", "http://host/documents"),
    ],
)
def test_a_password_inside_an_address_is_never_shown(address: str, shown: str) -> None:
    found = load(store=address, paperless__url=address, semantic__url=address)
    values = {setting.key: value for setting, value, _ in found.shown()}
    assert {values[k] for k in ("store", "paperless.url", "semantic.url")} == {shown}


def test_a_secret_is_never_shown() -> None:
    found = load({"PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN": "s3cr3t"})
    assert found.paperless.token == "s3cr3t"
    assert "s3cr3t" not in "".join(str(row) for row in found.shown())
    with pytest.raises(ConfigurationError) as caught:
        loading.load({"paperless.token": 7}, {})
    assert "7" not in str(caught.value)


def test_every_variable_that_the_code_reads_is_a_setting() -> None:
    known = {setting.variable for setting in registry.REGISTRY}
    known |= {registry.PREFIX, "PAPERLESS_FINGERPRINT_CONFIG", "PAPERLESS_FINGERPRINT_TEST_ES"}
    for path in SOURCE.rglob("*.py"):
        for name in re.findall(r"PAPERLESS_FINGERPRINT_[A-Z_]*", path.read_text()):
            assert name in known, f"{path.name} speaks of {name}, which is no setting"


def test_a_misspelt_setting_is_found_before_the_program_runs(tmp_path: Path) -> None:
    program = tmp_path / "misspelt.py"
    program.write_text(
        "from paperless_fingerprint.settings.registry import Settings\n"
        "def level(settings: Settings) -> float:\n"
        "    return settings.near.treshold\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(program)],
        check=False, capture_output=True, text=True, cwd=SOURCE.parents[2],
    )  # fmt: skip
    assert '"Near" has no attribute "treshold"' in found.stdout


def test_a_setting_of_an_earlier_version_is_said_to_be_gone_and_harms_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("min_words = 30\n[exact]\nthreshold = 0.9\n")
    environment = {
        "PAPERLESS_FINGERPRINT_CONFIG": str(file),
        "PAPERLESS_FINGERPRINT_EXACT_THRESHOLD": "0.9",
    }
    assert load(environment).min_words == 30
    in_file, in_environment = [record.getMessage() for record in caplog.records]
    assert f"{file} has 'exact.threshold', which has no effect any more" in in_file
    assert in_file.endswith("It can be left out.")
    assert "PAPERLESS_FINGERPRINT_EXACT_THRESHOLD, which has no effect" in in_environment
