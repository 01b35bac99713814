"""What people install with: the image's steps, the compose files, what docs/install.md says.

No engine for containers is needed. The Dockerfile's own RUN lines are run in a folder that stands
for the root of the image; what only an engine does (the base image, layers, users' namespaces,
other architectures) is not tried here.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

import httpx
import pytest
import yaml

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.settings.registry import PREFIX, REGISTRY

ROOT = Path(__file__).parent.parent.parent
COMPOSE = ("compose.yaml", "compose.override.example.yaml")
#: Somebody who owns nothing.
STRANGER = 61234


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPOSE)
def test_compose_files_are_as_the_specification_says(name: str) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec",
         str(ROOT / name)], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout


def test_every_variable_of_ours_is_a_setting() -> None:
    known = {setting.variable for setting in REGISTRY} | {PREFIX + "CONFIG"}
    files = [ROOT / "Dockerfile", ROOT / ".env.example", *(ROOT / name for name in COMPOSE)]
    files += [path for path in (ROOT / "deploy").rglob("*") if path.suffix != ".lock"]
    files += [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for path in files:
        if path.is_file():
            # With a '_' before it, it is the shell's word for completion.
            for name in re.findall(rf"(?<!_){PREFIX}[A-Z_]+[A-Z]", path.read_text()):
                assert name in known, f"{path.name} sets {name}"


def test_env_example_has_what_must_be_set_and_nothing_else() -> None:
    text = (ROOT / "compose.yaml").read_text()
    must = set(re.findall(r"\$\{(\w+):\?", text))
    assert set(re.findall(r"^(\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)) == must
    without_default = set(re.findall(r"\$\{(\w+)\}", text))
    assert not without_default


def test_services_come_back_and_say_how_they_are() -> None:
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text())
    for name, service in composed["services"].items():
        assert service["restart"] == "unless-stopped", name
        # The images of Paperless and of ours have one of their own.
        assert "healthcheck" in service or name in {"webserver", "fingerprint"}, name
    used = {
        mount.partition(":")[0]
        for service in composed["services"].values()
        for mount in service.get("volumes", ())
    }
    assert {name for name in used if not name.startswith(".")} == set(composed["volumes"])


def test_locks_have_hashes_and_name_no_machine() -> None:
    for path in (ROOT / "deploy").glob("*.lock"):
        text = path.read_text()
        assert "://" not in text
        for entry in re.split(r"\n(?=\S)", text.strip()):
            assert re.match(r"[\w.-]+==\S+", entry), entry
            assert "--hash=sha256:" in entry, entry


# --- the image --------------------------------------------------------------------------------------


def _instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text()
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line]  # type: ignore[misc]


def _copied() -> Iterator[tuple[list[str], str]]:
    """What comes from the repository: (from, to)."""
    for what, rest in _instructions():
        words = rest.split()
        if what == "COPY" and not words[0].startswith("--from"):
            words = [word for word in words if not word.startswith("--")]
            yield words[:-1], words[-1]


def test_what_the_image_takes_is_there_and_let_through() -> None:
    kept = [
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    ]
    for sources, _ in _copied():
        for source in sources:
            assert (ROOT / source).exists(), source
            assert any(fnmatch(source, k) or source.startswith(f"{k}/") for k in kept), source


def _python_for_everybody() -> str:
    """This one may lie where only its owner comes."""
    for python in (sys.executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        look = [python, "-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]
        user = STRANGER if os.getuid() == 0 else None
        with suppress(OSError):
            if subprocess.run(look, user=user, cwd="/", check=False).returncode == 0:
                return python
    pytest.skip("no Python 3.11 or later here that another user than root may run")


class Image:
    """The Dockerfile's steps, done in a folder instead of '/'."""

    def __init__(self, box: Path) -> None:
        self.box = box
        self.environment = {"PATH": f"{box}/python/bin:{os.environ['PATH']}"}
        for name in ("HOME", "PIP_CONFIG_FILE", "PIP_INDEX_URL"):  # where packages come from
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.own: dict[str, str] = {}
        python = _python_for_everybody()
        subprocess.run([python, "-m", "venv", "--without-pip", str(box / "python")], check=True)
        pip = box / "python" / "bin" / "pip"
        pip.write_text(
            f'#!/bin/sh\n[ "$1" = --python ] || set -- --python {box}/python "$@"\n'
            f'exec {sys.executable} -m pip --disable-pip-version-check "$@"\n'
        )
        pip.chmod(0o755)
        for folder in ("src", "data", "spool", "hook"):
            (box / folder).mkdir()
        place = box
        for what, rest in _instructions():
            if what == "FROM":
                place = box
            elif what == "WORKDIR":
                place = Path(self.inside(rest))
            elif what == "RUN":
                # Packages that are here already are not fetched again, and nothing is saved by
                # compiling what runs once.
                command = self.inside(rest).replace("--no-cache-dir", "--no-compile")
                self.run(["sh", "-c", command], place)
            elif what == "ENV":
                self.own = dict(w.split("=", 1) for w in self.inside(rest).split())
            elif what == "COPY" and not rest.startswith("--from"):  # the stages share the folder
                self._copy([w for w in rest.split() if not w.startswith("--")], place)

    def inside(self, text: str) -> str:
        """The paths of the image, as they are here."""
        folders = r"(?<!\w)/(?=(opt|src|wheels|locks|data|spool|hook|usr)\b)"
        return re.sub(folders, f"{self.box}/", text)

    def _copy(self, words: list[str], place: Path) -> None:
        target = place / self.inside(words[-1])
        for source in words[:-1]:
            path = ROOT / source
            if path.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(path, target, dirs_exist_ok=True, ignore=ignored)
            else:
                into = target / path.name if words[-1].endswith("/") else target
                into.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, into)
                if path.name == "paperless-fingerprint":
                    into.write_text(self.inside(into.read_text()))

    def run(self, command: list[str], place: Path) -> None:
        done = subprocess.run(
            command, cwd=place, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

    def started(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        """As `docker run` would start it."""
        return subprocess.Popen(
            [f"{self.box}/usr/local/bin/{command[0]}", *command[1:]],
            env={"PATH": os.environ["PATH"], **self.own, **environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/",
        )  # fmt: skip

    def says(self, *command: str, **environment: str) -> tuple[int, str]:
        process = self.started(*command, **environment)
        out, err = process.communicate(timeout=60)
        return process.returncode, out + err

    def says_as(self, user: int, *command: str) -> tuple[int, str]:
        done = subprocess.run(
            [f"{self.box}/usr/local/bin/{command[0]}", *command[1:]], user=user, group=user,
            extra_groups=(), env={"PATH": os.environ["PATH"], **self.own}, cwd="/",
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    box = Path(tempfile.mkdtemp(prefix="image-"))
    box.chmod(0o755)  # pytest's own folders are closed to the stranger
    try:
        yield Image(box)
    finally:
        shutil.rmtree(box)


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def _variables(paperless: StandIn, **more: str) -> dict[str, str]:
    values = {
        "PAPERLESS_URL": paperless.url,
        "PAPERLESS_TOKEN": paperless.token,
        "SERVICE_HOST": "127.0.0.1",  # the tests stay on this machine
        "SERVICE_SECRET": "between us",
        **more,
    }
    return {PREFIX + name: value for name, value in values.items()}


@contextmanager
def _serving(process: subprocess.Popen[str]) -> Iterator[str]:
    """Its address, once it listens."""
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.search(r"Listening on (http://\S+)", line):
                yield found[1]
                break
        else:
            pytest.fail("".join(lines))
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_image_serves_as_its_user_and_says_that_it_is_well(image: Image) -> None:
    is_root = os.getuid() == 0
    user = STRANGER if is_root else os.getuid()
    with StandIn() as paperless:
        variables = _variables(paperless, SERVICE_PORT=_free_port())
        variables |= {"PUID": str(STRANGER), "PGID": str(STRANGER)}
        process = image.started("paperless-fingerprint", "serve", **variables)
        with _serving(process) as address:
            assert image.says("healthcheck", **variables)[0] == 0
            assert httpx.get(address, follow_redirects=True).status_code == 200
            hook = image.box / "hook" / "post_consume.py"
            assert hook.read_bytes() == (ROOT / "hooks" / "post_consume.py").read_bytes()
            assert os.access(hook, os.X_OK)
            # What is run beside it ('docker exec') is run by the same user.
            done = image.says(
                "paperless-fingerprint", "backup", f"{image.box}/data/b.zip", **variables
            )
            assert done[0] == 0, done
            for path in (image.box / "data").iterdir():
                assert path.stat().st_uid == user, path
            status = Path(f"/proc/{process.pid}/status")
            if status.exists():
                assert f"Uid:\t{user}\t{user}\t{user}\t{user}" in status.read_text()
        assert process.returncode == 0
        code, told = image.says("healthcheck", **variables)
        assert code == 1
        assert "does not answer" in told


def test_what_cannot_work_is_said_in_one_sentence_with_its_exit_code(image: Image) -> None:
    if os.getuid() == 0:
        for owner in ("0", "anna", "", "-1"):
            code, told = image.says("paperless-fingerprint", "serve", PUID=owner or " ")
            assert (code, "must be numbers, and not root's" in told) == (3, True), told
        for folder in ("data", "spool"):
            os.chown(image.box / folder, 0, 0)
        # As with `user:` in compose, where nobody can give the folders away.
        code, told = image.says_as(STRANGER, "paperless-fingerprint", "serve")
        assert code == 5
        assert "may not write to" in told
    stranger = {"PUID": str(STRANGER), "PGID": str(STRANGER)}
    code, told = image.says("paperless-fingerprint", "serve", **stranger)
    assert code == 3
    assert "SERVICE_SECRET" in told
    stranger[f"{PREFIX}SERVICE_SECRET"] = "s"
    code, told = image.says("paperless-fingerprint", "serve", **stranger)
    assert code == 3
    assert "PAPERLESS_FINGERPRINT_PAPERLESS_URL" in told
    stranger[f"{PREFIX}PAPERLESS_URL"] = "http://127.0.0.1:9"
    stranger[f"{PREFIX}PAPERLESS_TOKEN"] = "t"
    with closing(sqlite3.connect(image.box / "data" / "library.db")) as library:
        library.execute(f"PRAGMA application_id = {0x70667072}")
        library.execute("PRAGMA user_version = 99")
    code, told = image.says("paperless-fingerprint", "serve", **stranger)
    assert code == 5
    assert "newer paperless-fingerprint" in told


# --- what the docs say ------------------------------------------------------------------------------


def _commands(heading: str) -> list[str]:
    """The first block of commands below that heading of docs/install.md."""
    text = (ROOT / "docs" / "install.md").read_text().partition(f"\n## {heading}\n")[2]
    return re.split("```(?:sh)?\n", text)[1].strip().splitlines()


def test_from_a_fresh_environment_to_the_page_in_five_commands(tmp_path: Path) -> None:
    """As they stand in the docs, in an empty home; token, address and port are this test's."""
    commands = _commands("Without Docker")
    assert len(commands) <= 5
    with StandIn() as paperless:
        port = _free_port()
        script = "\n".join(commands).replace("python3 -m venv", f"{sys.executable} -m venv")
        script = script.replace("http://localhost:8000", paperless.url)
        script = script.replace("0123456789abcdef", paperless.token)
        script = script.replace("pip install", "pip install --quiet --no-compile")
        script = re.sub(r"(\S+ serve)$", r"exec \1", script)
        packages = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        process = subprocess.Popen(
            ["sh", "-ec", script], cwd=_copy_of_the_repository(tmp_path), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"],
                 "PIP_CACHE_DIR": _pip_cache(), **packages, f"{PREFIX}SERVICE_PORT": port},
        )  # fmt: skip
        with _serving(process) as address:
            page = httpx.get(address, follow_redirects=True)
            assert page.status_code == 200
            assert "password" in page.text


def _copy_of_the_repository(folder: Path) -> Path:
    copy = folder / "repository"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "tests", "benchmarks", "docs")
    return Path(shutil.copytree(ROOT, copy, ignore=ignored))


def _pip_cache() -> str:
    asked = [sys.executable, "-m", "pip", "cache", "dir"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
