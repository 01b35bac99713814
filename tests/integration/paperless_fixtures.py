"""A stand-in Paperless and a client that speaks to it, for whoever tests against Paperless."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.paperless.client import Limits, PaperlessClient
from paperless_fingerprint.paperless.connection import Connection

REPOSITORY = Path(__file__).resolve().parents[2]
HOOK = REPOSITORY / "hooks" / "post_consume.py"


def shared_folder(*parts: str) -> Path:
    """Data outside the repository; the test is skipped where there is none."""
    told = os.environ.get("PAPERLESS_FINGERPRINT_SHARED")
    folder = Path(told) if told else REPOSITORY.parent / "shared"
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{'/'.join(parts)} is not in the shared folder (PAPERLESS_FINGERPRINT_SHARED)")
    return path


class Pauses:
    """In the place of `time.sleep`: writes down how long it would have been."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with StandIn() as server:
        yield server


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def connect(pauses: Pauses) -> Iterator[Callable[..., PaperlessClient]]:
    """Makes clients, and closes them in the end."""
    with ExitStack() as stack:

        def make(server: StandIn | str, **options) -> PaperlessClient:
            url = server if isinstance(server, str) else server.url
            if not {"token", "username"} & options.keys():
                options["token"] = server.token
            options.setdefault("sleep", pauses)
            options.setdefault("limits", Limits(connect_seconds=10, read_seconds=20))
            return stack.enter_context(PaperlessClient(Connection(url, **options)))

        yield make


@pytest.fixture
def client(stand_in: StandIn, connect: Callable[..., PaperlessClient]) -> PaperlessClient:
    return connect(stand_in)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory) -> Path:
    """Key and certificate for localhost, trusted by nobody, in one file."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("the program openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    key, found = folder / "key.pem", folder / "certificate.pem"
    command = f"{program} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    command += f" -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout {key} -out {found}"
    subprocess.run(command.split(), check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text(key.read_text() + found.read_text())
    return both
