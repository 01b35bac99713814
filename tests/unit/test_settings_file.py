"""Values are changed in the settings file, and nothing else that somebody has written there."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paperless_fingerprint.errors import ConfigurationError
from paperless_fingerprint.settings import editing
from paperless_fingerprint.settings.editing import CannotChangeError
from paperless_fingerprint.settings.loading import load
from paperless_fingerprint.settings.registry import REGISTRY, Settings, Value

WRITTEN = """\
# The library of the office
store = "sqlite:///library.db"  # on the fast disk
similarity_threshold = 0.750 # sure enough

[near]
# Half of our letters hold no facts.
threshold = 0.9   # ninety
policy = "warn"

[paperless]
token = "a-secret"
"""
LOWER = {"similarity_threshold": "0.7", "near.threshold": "0.8", "version.threshold": "0.65"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text(WRITTEN)
    return file


def values_of(settings: Settings) -> dict[str, Value]:
    return {setting.key: settings.value(setting.key) for setting in REGISTRY}


def of(file: Path, **environment: str) -> Settings:
    told = {f"PAPERLESS_FINGERPRINT_{name.upper()}": value for name, value in environment.items()}
    return load({}, told, file)


def saved(settings: Settings, wanted: dict[str, str | None]) -> dict[str, str | None]:
    change = editing.change(settings, wanted)
    editing.write(change)
    return dict(change.before)


def test_comments_and_everything_else_stay(file: Path) -> None:
    before = saved(of(file), LOWER)
    assert before == {
        "similarity_threshold": "0.750", "near.threshold": "0.9", "version.threshold": None,
    }  # fmt: skip
    expected = WRITTEN.replace("0.750", "0.7").replace("0.9 ", "0.8 ")
    assert file.read_text() == expected + "\n[version]\nthreshold = 0.65\n"
    now = of(file)
    assert [now.value(key) for key in LOWER] == [0.7, 0.8, 0.65]
    assert now.paperless.token == "a-secret"
    assert saved(now, before) == LOWER
    # As it was written, to the last digit; our section is gone again.
    assert file.read_text().rstrip() == WRITTEN.rstrip()


@pytest.mark.parametrize(
    "written",
    ["", "min_words = 20", "near.threshold = 0.9\nversion = {threshold = 0.7}\n",
     '[near]\r\nthreshold = 0.9\r\n[paperless]\r\nurl = "http://x"\r\n',
     '"near" = { "threshold" = 0.9, policy = "skip" }', "[version]\n[near]\n"],
)  # fmt: skip
def test_files_of_every_style(file: Path, written: str) -> None:
    file.write_bytes(written.encode())
    values = values_of(of(file))
    before = saved(of(file), LOWER)
    numbers = {key: float(text) for key, text in LOWER.items()}
    assert values_of(of(file)) == {**values, **numbers}
    saved(of(file), before)
    assert values_of(of(file)) == values


@given(
    st.permutations(["[near]", "[version]", "[paperless]", "[inbox]"]).flatmap(
        lambda names: st.lists(
            st.sampled_from(["", "# words", "\n"]), min_size=len(names), max_size=len(names)
        ).map(lambda fill: "".join(f"{a}\n{b}\n" for a, b in zip(names, fill, strict=True)))
    )
)
def test_whatever_stands_around_it_is_kept(content: str) -> None:
    new, before = editing._edited(content.encode(), LOWER, Path("x"))
    told = tomllib.loads(new.decode())
    assert told["similarity_threshold"] == 0.7
    assert told["near"]["threshold"] == 0.8
    assert new.decode().count("# words") == content.count("# words")
    back, _ = editing._edited(new, before, Path("x"))
    was = tomllib.loads(content)
    assert {name: each for name, each in tomllib.loads(back.decode()).items() if each} == {
        name: each for name, each in was.items() if each
    }


def test_owner_permissions_and_links_stay(file: Path, tmp_path: Path) -> None:
    file.chmod(0o640)
    link = tmp_path / "linked.toml"
    link.symlink_to(file)
    number = file.stat().st_ino
    saved(of(link), {"near.threshold": "0.8"})
    assert link.is_symlink()
    assert of(link).near.threshold == 0.8
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert file.stat().st_ino != number
    assert sorted(p.name for p in tmp_path.iterdir()) == ["linked.toml", "settings.toml"]


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ({"similarity_threshold": "1.5"}, "similarity_threshold is 1.5.*between 0 and 1; 0.75"),
        ({"near.threshold": "0.5"}, r"\[version\] threshold is 0.75, above.*0.75 and 0.85 work"),
        ({"near.threshold": '"much"'}, r"\[near\] threshold is 'much'.*0.85 works"),
    ],
)
def test_what_no_start_would_take_is_not_saved(file: Path, wanted, named: str) -> None:
    with pytest.raises(ConfigurationError, match=named) as caught:
        editing.change(of(file), wanted)
    assert not isinstance(caught.value, CannotChangeError)
    assert file.read_text() == WRITTEN


def test_what_the_environment_says_cannot_be_changed_in_the_file(file: Path) -> None:
    settings = of(file, near_threshold="0.95")
    with pytest.raises(CannotChangeError, match="PAPERLESS_FINGERPRINT_NEAR_THRESHOLD"):
        editing.change(settings, {"near.threshold": "0.8"})
    saved(settings, {"similarity_threshold": "0.6"})
    assert of(file).similarity_threshold == 0.6
    flagged = load({"near.threshold": 0.95}, {}, file)
    with pytest.raises(CannotChangeError, match="command line"):
        editing.change(flagged, {"near.threshold": "0.8"})


def test_without_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for settings in (load({}, {}), Settings().having(values_of(load({}, {})))):
        with pytest.raises(CannotChangeError, match=r"without a settings file.*--config"):
            editing.change(settings, LOWER)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("which", ["file", "folder"])
def test_what_may_not_be_written_to(file: Path, monkeypatch, which: str) -> None:
    """As for root, a test cannot take the right away; so the question is answered for it."""
    place = file if which == "file" else file.parent
    settings = of(file)
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != place)
    with pytest.raises(CannotChangeError, match="cannot be written to by this service"):
        editing.change(settings, LOWER)


def test_a_file_that_is_mounted_by_itself(file: Path, monkeypatch) -> None:
    change = editing.change(of(file), LOWER)

    def busy(*_: object) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(Path, "replace", busy)
    with pytest.raises(CannotChangeError, match="mounted on its own"):
        editing.write(change)
    assert file.read_text() == WRITTEN
    assert [p.name for p in file.parent.iterdir()] == [file.name]


def test_somebody_else_writes_at_the_same_time(file: Path) -> None:
    change = editing.change(of(file), LOWER)
    file.write_text(WRITTEN + "\n[inbox]\ntries = 3\n")
    with pytest.raises(CannotChangeError, match="just changed"):
        editing.write(change)
    assert of(file).inbox.tries == 3
    settings = of(file)
    file.write_text("[near\n")
    with pytest.raises(CannotChangeError, match="no longer valid TOML"):
        editing.change(settings, LOWER)
    file.unlink()
    with pytest.raises(CannotChangeError):
        editing.change(settings, LOWER)
