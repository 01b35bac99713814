"""Builds the image of the Dockerfile without an engine, and looks whether it does what it should.

    sudo python tools/built_image.py [--semantic]

Needs root, and Debian's `buildah` and `debootstrap`. The official Python image cannot be had where
there is no registry of images; what stands for it is Debian with its own Python, under its name.
The container shares the machine's network and process table (`chroot`): this says that the image
can be built, whom it runs as and what it answers, not how an engine shuts it in.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paperless_fingerprint.demo.stand_in import StandIn

ROOT = Path(__file__).parent.parent
BASE = "docker.io/library/python:3.11-slim"
IMAGE = "paperless-fingerprint:tried"
OWNER = 4711


def run(*command: str | Path, **more: str) -> str:
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **more}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout.strip()


def base(folder: Path) -> None:
    """What the official image has: `python`, and a `pip` that may install."""
    root = folder / "debian"
    run("debootstrap", "--variant=minbase", "--include=python3,python3-venv,python3-pip,"
        "ca-certificates", "bookworm", root)  # fmt: skip
    (root / "usr/lib/python3.11/EXTERNALLY-MANAGED").unlink()
    (root / "usr/bin/python").symlink_to("python3")
    # A machine with an authority of its own trusts it in the container, too.
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs/")
    container = run("buildah", "from", "scratch")
    run("buildah", "add", "-q", container, root, "/")
    run("buildah", "config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin", container)
    run("buildah", "commit", "-q", "--rm", container, BASE)


def built(semantic: bool) -> dict[str, object]:
    run("buildah", "bud", "--format", "docker", "--pull-never", "-t", IMAGE,
        "--build-arg", "PYTHON=3.11", "--build-arg", f"SEMANTIC={'1' if semantic else ''}",
        "--build-arg", "VERSION=0", ROOT)  # fmt: skip
    about = json.loads(run("buildah", "inspect", "--type", "image", IMAGE))["Docker"]
    listed = json.loads(run("buildah", "images", "--json"))
    size = {row["names"][0]: row["size"] for row in listed if row["names"]}
    config = {key: about["config"][key] for key in ("Entrypoint", "Cmd", "Healthcheck", "Volumes")}
    return {"size": size, **config}


@contextmanager
def container() -> Iterator[str]:
    name = run("buildah", "from", "--pull-never", IMAGE)
    try:
        yield name
    finally:
        run("buildah", "rm", name)


def tried(folder: Path) -> None:
    """`serve` over a stand-in Paperless, as a user who is not root, with its healthcheck."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
    places = ["data", "spool", "hook"]
    for place in places:
        (folder / place).mkdir()
    with StandIn() as paperless, container() as name:
        values = {
            "PAPERLESS_URL": paperless.url, "PAPERLESS_TOKEN": paperless.token,
            "SERVICE_SECRET": "between us", "SERVICE_PORT": port, "SERVICE_HOST": "127.0.0.1",
        }  # fmt: skip
        run("buildah", "config", *(
            word for key, value in values.items()
            for word in ("--env", f"PAPERLESS_FINGERPRINT_{key}={value}")
        ), "--env", f"PUID={OWNER}", "--env", f"PGID={OWNER}", name)  # fmt: skip
        inside = ["buildah", "run", *(
            word for place in places for word in ("-v", f"{folder / place}:/{place}")
        ), name, "--"]  # fmt: skip
        serving = subprocess.Popen(
            [*inside, "paperless-fingerprint", "serve"], stderr=subprocess.PIPE, text=True
        )
        try:
            assert serving.stderr is not None
            for line in serving.stderr:
                if "Listening on" in line:
                    break
            else:
                sys.exit("`serve` ended before it listened.")
            print("healthcheck:", run(*inside, "healthcheck"))
            print("doctor:", run(*inside, "sh", "-c", "paperless-fingerprint doctor || true")[:400])
            written = {
                p.name: p.stat().st_uid for place in places for p in (folder / place).iterdir()
            }
            print("written by:", written)
            assert written
            assert set(written.values()) == {OWNER}
        finally:
            serving.terminate()
            serving.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semantic", action="store_true", help="with the embedding model")
    asked = parser.parse_args()
    os.environ.update(STORAGE_DRIVER="vfs", BUILDAH_ISOLATION="chroot")
    with tempfile.TemporaryDirectory(prefix="image-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        if BASE not in run("buildah", "images", "--format", "{{.Name}}:{{.Tag}}").split():
            base(folder)
        began = time.monotonic()
        about = built(asked.semantic)
        print(f"built in {time.monotonic() - began:.0f} s")
        print(json.dumps(about, indent=1))
        tried(folder)


if __name__ == "__main__":
    main()
