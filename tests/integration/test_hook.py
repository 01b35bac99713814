"""The hook as Paperless runs it: a process, with an environment, that is waited for."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from paperless_fixtures import HOOK

from paperless_fingerprint.demo.stand_in import StandIn
from paperless_fingerprint.paperless.spool import Spool
from spooling import leave_event

SECRET = "the-shared-secret"
KEY = "the-secret-key-of-paperless"
#: Far more than the hook needs; a hook that hangs fails the test and does not stop it.
DEADLINE_SECONDS = 30


class Hook:
    """Runs the hook in an environment that has nothing but what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.home = folder / "home"
        self.spool = Spool(folder / "spool", abandoned_seconds=0)
        self.bin.mkdir()
        self.home.mkdir()
        # Our own environment holds the command `paperless-fingerprint`, which must not be found.
        (self.bin / "python3").symlink_to(sys.executable)
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(self.home),
            "DOCUMENT_ID": "12",
            "DOCUMENT_TYPE": "None",
            "PAPERLESS_SECRET_KEY": KEY,
            "PAPERLESS_FINGERPRINT_SPOOL": str(self.spool.folder),
        }

    def patch(self, code: str) -> None:
        """Code that runs in the hook's process before it does."""
        folder = self.folder / "patch"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(code)
        self.environment["PYTHONPATH"] = str(folder)

    def start(self, *arguments: str, **options) -> subprocess.Popen:
        environment = {**self.environment, **options.pop("set", {})}
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("cwd", "/")
        return subprocess.Popen(
            [str(HOOK), *arguments],
            env={name: value for name, value in environment.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def finish(self, process: subprocess.Popen) -> str:
        """What it said. It never fails, and never tells a secret."""
        try:
            out, err = process.communicate(timeout=DEADLINE_SECONDS)
        finally:
            process.kill()
        said = (out + err).decode()
        assert process.returncode == 0, said
        assert SECRET not in said
        assert KEY not in said
        assert out == b""
        return said

    def run(self, *arguments: str, **options) -> str:
        return self.finish(self.start(*arguments, **options))

    def spooled(self) -> list[int]:
        return [event.document_id for event in self.spool.events()]


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path)


class Service:
    """Takes requests, and answers them with what a test gave it."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.tls = tls
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.requests: list[str] = []
        self.answers: list[bytes] = [b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"]
        self.accepted = threading.Event()
        self.hold = threading.Event()
        self.hold.set()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                try:
                    self._answer(self._wrapped(connection))
                except OSError:
                    continue  # the hook has gone, as it may, or does not trust us

    def _wrapped(self, connection: socket.socket) -> socket.socket:
        connection.settimeout(DEADLINE_SECONDS)
        return self.tls.wrap_socket(connection, server_side=True) if self.tls else connection

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            data = b""
            while not data.endswith(b"}"):
                piece = connection.recv(4096)
                if not piece:
                    return
                data += piece
            self.requests.append(data.decode())
            self.accepted.set()
            self.hold.wait(DEADLINE_SECONDS)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            connection.sendall(answer)

    def ids(self) -> list[int]:
        return [json.loads(text.rpartition("\r\n")[2])["document_id"] for text in self.requests]

    def close(self) -> None:
        self.hold.set()
        # Closing alone does not wake a thread that waits in accept.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self._thread.join(DEADLINE_SECONDS)


@pytest.fixture
def service(hook: Hook) -> Iterator[Service]:
    server = Service()
    hook.environment["PAPERLESS_FINGERPRINT_SERVICE_URL"] = server.url
    hook.environment["PAPERLESS_FINGERPRINT_SERVICE_SECRET"] = SECRET
    yield server
    server.close()


# --- the file --------------------------------------------------------------------------------------


def test_the_file_is_one_that_paperless_can_run():
    content = HOOK.read_bytes()
    assert b"\r" not in content
    assert content.startswith(b"#!/usr/bin/env python3\n")
    assert stat.S_IMODE(HOOK.stat().st_mode) == 0o755


def test_it_is_python_3_9_and_needs_the_standard_library_alone():
    tree = ast.parse(HOOK.read_text(), feature_version=(3, 9))
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert imported <= sys.stdlib_module_names
    at_start = {
        alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names
    }
    assert at_start == {"os", "sys", "time"}


def test_it_loads_next_to_nothing(hook, service):
    """Every module costs time that consumption waits."""
    report = hook.folder / "modules"
    hook.patch(
        "import os, sys\n"
        "before = set(sys.modules)\n"
        "leave = os._exit\n"
        "def note(code):\n"
        f"    open({str(report)!r}, 'w').write(' '.join(set(sys.modules) - before))\n"
        "    leave(code)\n"
        "os._exit = note\n"
    )
    hook.run()
    assert service.ids() == [12]
    loaded = set(report.read_text().split())
    assert not loaded & {"socket", "ssl", "http", "json", "threading", "subprocess", "re", "email"}


@pytest.mark.parametrize("how", ["copied", "linked"])
def test_scripts_beside_it_are_not_mistaken_for_modules(hook, service, how):
    folder = hook.folder / "scripts"
    folder.mkdir()
    for name in ("_socket", "time", "socket", "ssl"):
        (folder / f"{name}.py").write_text("raise SystemExit(9)\n")
    script = folder / "post_consume.py"
    script.write_bytes(HOOK.read_bytes())
    script.chmod(0o755)
    if how == "linked":
        link = hook.folder / "link.py"
        link.symlink_to(script)
        script = link
    done = subprocess.run(
        [str(script)], env=hook.environment, timeout=DEADLINE_SECONDS, check=False
    )
    assert done.returncode == 0
    assert service.ids() == [12]


# --- which document --------------------------------------------------------------------------------


@pytest.mark.parametrize("told", ["", "None", "abc", "-1", "1.5", "٣", "9" * 40, None])
def test_without_an_id_nothing_happens_and_nothing_fails(hook, told):
    assert "no document id" in hook.run(set={"DOCUMENT_ID": told})
    assert not hook.spool.folder.exists()


def test_the_id_of_version_2_comes_as_an_argument_too(hook):
    hook.run("77", "name.pdf", "/a", "/b", "/c", "/d", "None", "tag", set={"DOCUMENT_ID": None})
    assert hook.spooled() == [77]


# --- spool only ------------------------------------------------------------------------------------


def test_an_event_is_spooled_without_a_word(hook):
    assert hook.run() == ""
    assert hook.spooled() == [12]
    assert [path.name[0] for path in hook.spool.folder.iterdir()] != ["."]


def test_events_keep_their_order(hook):
    for number in (5, 3, 9):
        hook.run(set={"DOCUMENT_ID": str(number)})
    assert hook.spooled() == [5, 3, 9]


def test_the_reader_understands_every_byte_of_it(hook):
    hook.run()
    (path,) = hook.spool.folder.iterdir()
    told = json.loads(path.read_bytes())
    assert told.keys() == {"format", "document_id", "time_ns"}
    assert re.fullmatch(r"\d{20}-[0-9a-f]{12}\.json", path.name)
    assert path.name.startswith(f"{told['time_ns']:020d}")


@pytest.mark.parametrize("umask", [0o077, 0o777, 0o000])
def test_another_user_of_the_group_can_read_and_remove_it_whatever_the_umask(hook, umask):
    hook.environment["PAPERLESS_FINGERPRINT_SPOOL"] = str(hook.folder / "a" / "b" / "spool")
    hook.run(umask=umask)
    folder = hook.folder / "a" / "b" / "spool"
    (path,) = folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    # Nobody else: in a folder that all may write to, all may plant and delete events.
    assert stat.S_IMODE(folder.stat().st_mode) == 0o2770
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o755


def test_a_folder_that_exists_keeps_its_mode(hook):
    hook.spool.folder.mkdir(mode=0o750)
    hook.run()
    assert stat.S_IMODE(hook.spool.folder.stat().st_mode) == 0o750


def test_a_relative_spool_is_meant_from_the_home_folder(hook):
    hook.run(set={"PAPERLESS_FINGERPRINT_SPOOL": "events"})
    assert len(list((hook.home / "events").iterdir())) == 1


def test_the_default_is_the_folder_that_the_worker_looks_into(hook, monkeypatch):
    from paperless_fingerprint.paperless.spool import default_folder

    for name in ("PAPERLESS_DATA_DIR", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(hook.home))
    hook.run(set={"PAPERLESS_FINGERPRINT_SPOOL": None})
    assert len(list(default_folder().iterdir())) == 1
    monkeypatch.setenv("PAPERLESS_DATA_DIR", str(hook.folder))
    hook.run(set={"PAPERLESS_FINGERPRINT_SPOOL": None, "PAPERLESS_DATA_DIR": str(hook.folder)})
    assert len(list(default_folder().iterdir())) == 1
    assert hook.folder in default_folder().parents


def test_it_works_from_a_folder_that_is_no_more(hook):
    gone = hook.folder / "gone"
    gone.mkdir()
    script = f'cd "{gone}" && /bin/rmdir "{gone}" && exec "{HOOK}"'
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        env=hook.environment,
        capture_output=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert done.returncode == 0
    assert hook.spooled() == [12]


def test_it_works_with_every_descriptor_closed(hook):
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "{HOOK}" <&- >&- 2>&-'],
        env=hook.environment,
        timeout=DEADLINE_SECONDS,
        check=False,
    )
    assert done.returncode == 0
    assert hook.spooled() == [12]


def test_eight_at_once_leave_eight_events(hook):
    running = [hook.start(set={"DOCUMENT_ID": str(5 if n % 2 else n)}) for n in range(10, 18)]
    for process in running:
        hook.finish(process)
    assert sorted(hook.spooled()) == [5, 5, 5, 5, 10, 12, 14, 16]


def test_the_file_is_on_disk_before_it_gets_its_name_and_the_name_after(hook):
    report = hook.folder / "calls"
    hook.spool.folder.mkdir()
    hook.patch(
        "import os, stat\n"
        "def noted(name):\n"
        "    real = getattr(os, name)\n"
        "    def call(*told):\n"
        "        result = real(*told)\n"
        "        kind = ''\n"
        "        if name == 'fsync':\n"
        "            kind = ' folder' if stat.S_ISDIR(os.fstat(told[0]).st_mode) else ' file'\n"
        f"        with open({str(report)!r}, 'a') as file: file.write(name + kind + '\\n')\n"
        "        return result\n"
        "    setattr(os, name, call)\n"
        "noted('fsync'); noted('rename')\n"
    )
    hook.run()
    assert report.read_text().splitlines() == ["fsync file", "rename", "fsync folder"]


@pytest.mark.parametrize("where", ["a file in the way", "no such device"])
def test_a_spool_that_cannot_be_written_is_told_and_fails_nothing(hook, where):
    (hook.folder / "file").write_text("x")
    path = hook.folder / "file" / "spool" if where == "a file in the way" else "/proc/nothing/spool"
    said = hook.run(set={"PAPERLESS_FINGERPRINT_SPOOL": str(path)})
    assert "document 12" in said
    assert "`sync` finds it" in said
    assert str(path) not in said


@pytest.mark.parametrize("call", ["write", "fsync", "rename"])
def test_a_full_disk_is_told_and_leaves_nothing_behind(hook, call):
    hook.patch(
        "import errno, os\n"
        f"real = os.{call}\n"
        "def full(*told):\n"
        "    if told[0] == 2: return real(*told)\n"
        "    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        f"os.{call} = full\n"
    )
    hook.spool.folder.mkdir()
    assert "No space left on device" in hook.run()
    assert list(hook.spool.folder.iterdir()) == []


def test_a_disk_that_takes_a_byte_at_a_time_gets_the_whole_event(hook):
    hook.patch("import os\nreal = os.write\nos.write = lambda d, data: real(d, data[:1])\n")
    hook.run()
    assert hook.spooled() == [12]


def test_a_hook_that_is_killed_before_the_rename_loses_nothing(hook):
    hook.patch("import os\nos.rename = lambda *_: os.kill(os.getpid(), 9)\n")
    process = hook.start()
    process.communicate(timeout=DEADLINE_SECONDS)
    assert process.returncode == -signal.SIGKILL
    assert hook.spooled() == [12]


# --- the service -----------------------------------------------------------------------------------


def test_the_id_goes_to_the_service_with_the_secret(hook, service):
    assert hook.run() == ""
    (request,) = service.requests
    assert request.startswith("POST /api/consume HTTP/1.1\r\n")
    assert f"\r\nAuthorization: Bearer {SECRET}\r\n" in request
    assert service.ids() == [12]
    assert not hook.spool.folder.exists()


def test_an_address_with_a_path_keeps_it(hook, service):
    hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_URL": f"{service.url}/fingerprint/"})
    assert service.requests[0].startswith("POST /fingerprint/api/consume HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 500 Internal Server Error\r\n\r\n",
        b"HTTP/1.1 401 Unauthorized\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://elsewhere.invalid/\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"200 fine\r\n",
        b"HTTP/1.1\r\n",
        b"\xff\xfe\x00",
        b"",
    ],
)
def test_any_other_answer_than_yes_leaves_the_event_in_the_spool(hook, service, answer):
    service.answers = [answer]
    assert "waits in the spool" in hook.run()
    assert hook.spooled() == [12]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "http://no-such-host.invalid",
        "http://",
        "nonsense",
        "ftp://127.0.0.1",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://user:password@127.0.0.1:1/",
        "http://127.0.0.1:1/a b\r\nX: y",
        "https://127.0.0.1:1",
    ],
)
def test_an_address_that_leads_nowhere_leaves_the_event_in_the_spool(hook, url):
    said = hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_URL": url})
    assert hook.spooled() == [12]
    assert "password" not in said


def test_a_secret_that_would_break_the_request_is_not_sent(hook, service):
    hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_SECRET": "a\r\nX-Evil: b"})
    assert service.requests == []
    assert hook.spooled() == [12]


def test_tls_is_spoken_and_a_foreign_certificate_is_not_trusted(hook, certificate):
    server_side = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_side.load_cert_chain(certificate)
    service = Service(server_side)
    try:
        url = service.url.replace("http://127.0.0.1", "https://localhost")
        hook.environment["PAPERLESS_FINGERPRINT_SERVICE_URL"] = url
        hook.run()
        assert hook.spooled() == [12]
        assert service.ids() == []
        assert hook.run(set={"SSL_CERT_FILE": str(certificate), "DOCUMENT_ID": "13"}) == ""
        assert service.ids() == [13, 12]
        assert hook.spooled() == []
    finally:
        service.close()


@contextmanager
def swallowing() -> Iterator[str]:
    """An address that takes no connection and refuses none: its queue is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_an_address_that_swallows_packets_holds_nothing_up(hook):
    with swallowing() as url:
        said = hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_URL": url})
    assert "waits in the spool" in said
    assert hook.spooled() == [12]


def test_a_service_that_never_answers_holds_nothing_up(hook, service):
    service.hold.clear()
    assert "waits in the spool" in hook.run()
    assert hook.spooled() == [12]


def test_a_service_that_drips_holds_nothing_up(hook):
    """A byte now and then never runs into the time limit of a socket."""
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    while not stop.wait(0.1):
                        connection.sendall(b"H")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_URL": url})
        finally:
            stop.set()
            thread.join()
    assert hook.spooled() == [12]


def test_a_resolver_that_hangs_holds_nothing_up(hook):
    hook.patch("import _socket, time\n_socket.getaddrinfo = lambda *_: time.sleep(600)\n")
    hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_URL": "http://service.example"})
    assert hook.spooled() == [12]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_neither_fails_the_document_nor_loses_the_event(hook, service, number):
    service.hold.clear()
    process = hook.start()
    assert service.accepted.wait(DEADLINE_SECONDS)
    process.send_signal(number)
    hook.finish(process)
    assert hook.spooled() == [12]


def test_a_pipe_that_somebody_put_into_the_spool_keeps_nothing_from_going_along(hook, service):
    leave_event(hook.spool, 3)
    os.mkfifo(hook.spool.folder / "0.json")
    hook.run(set={"PAPERLESS_FINGERPRINT_SERVICE_URL": service.url})
    assert service.ids() == [12, 3]


def test_what_earlier_runs_could_not_deliver_goes_along(hook, service):
    service.answers = [b"HTTP/1.1 500 No\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n"]
    hook.run(set={"DOCUMENT_ID": "1"})
    hook.spool.folder.joinpath("0.json").write_text("damaged")
    assert hook.run(set={"DOCUMENT_ID": "2"}) == ""
    assert service.ids() == [1, 2, 1]
    assert hook.spooled() == []


def test_with_a_service_no_worker_is_started(hook, service):
    install(hook, "echo started >> " + str(hook.folder / "started"))
    service.answers = [b"HTTP/1.1 500 No\r\n\r\n"]
    hook.run()
    assert not (hook.folder / "started").exists()


# --- the program beside Paperless ------------------------------------------------------------------

_WORKER = """#!{python}
import json, os, signal, sys
fds = {{}}
for name in os.listdir('/proc/self/fd'):
    try:
        fds[name] = os.readlink('/proc/self/fd/' + name)
    except OSError:
        pass
report = dict(
    arguments=sys.argv[1:],
    environment=dict(os.environ),
    leads_its_session=os.getsid(0) == os.getpid(),
    descriptors=fds,
    folder=os.getcwd(),
    umask=os.umask(0),
    signals=[signal.getsignal(getattr(signal, n)) is signal.SIG_DFL for n in ('SIGTERM', 'SIGHUP')],
)
# Waits here until somebody reads: the hook must not.
with open({fifo!r}, 'w') as file:
    json.dump(report, file)
"""


def install(hook: Hook, script: str) -> None:
    path = hook.bin / "paperless-fingerprint"
    path.write_text(script if script.startswith("#!") else f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def install_reporter(hook: Hook) -> Path:
    fifo = hook.folder / "report"
    os.mkfifo(fifo)
    install(hook, _WORKER.format(python=sys.executable, fifo=str(fifo)))
    return fifo


def test_the_worker_is_started_and_let_go_of(hook):
    fifo = install_reporter(hook)
    kept, given = os.pipe()
    try:
        # `communicate` returns once every copy of stdout and stderr is closed; the worker lives on.
        said = hook.run(pass_fds=(given,), umask=0o027)
    finally:
        os.close(given)
    assert said == ""
    assert hook.spooled() == [12]  # before the worker has done anything
    with os.fdopen(kept, "rb") as pipe:
        assert pipe.read() == b""  # nobody else holds the other end
    report = json.loads(fifo.read_text())
    assert report["arguments"] == ["consume", "--inbox"]
    assert report["leads_its_session"]
    assert report["folder"] == "/"
    assert report["umask"] == 0o027
    assert report["signals"] == [True, True]  # and not ignored, as they are here
    for number in ("0", "1", "2"):
        assert report["descriptors"][number] == "/dev/null"
    assert not any("pipe:" in target for target in report["descriptors"].values())


def test_the_worker_gets_its_settings_and_not_the_secrets_of_paperless(hook):
    fifo = install_reporter(hook)
    hook.run(
        set={
            "PAPERLESS_FINGERPRINT_STORE": "sqlite:////x",
            "PAPERLESS_DBPASS": "secret",
            "PAPERLESS_DATA_DIR": "/data",
            "LANG": "de_DE.UTF-8",
        }
    )
    environment = json.loads(fifo.read_text())["environment"]
    assert environment["PAPERLESS_FINGERPRINT_STORE"] == "sqlite:////x"
    assert (environment["PAPERLESS_DATA_DIR"], environment["LANG"]) == ("/data", "de_DE.UTF-8")
    assert not {"PAPERLESS_SECRET_KEY", "PAPERLESS_DBPASS", "DOCUMENT_ID"} & environment.keys()


def test_where_the_spool_fails_the_worker_gets_the_id_itself(hook):
    fifo = install_reporter(hook)
    hook.run(set={"PAPERLESS_FINGERPRINT_SPOOL": "/proc/nothing"})
    assert json.loads(fifo.read_text())["arguments"] == ["consume", "12"]


@pytest.mark.parametrize("script", ["#!/no/such/interpreter", "exit 3", "kill -9 $$"])
def test_a_worker_that_fails_is_not_the_hooks_failure(hook, script):
    install(hook, script)
    hook.run()
    assert hook.spooled() == [12]


# --- through the stand-in Paperless ----------------------------------------------------------------


@pytest.mark.parametrize("major", [2, 3])
def test_an_upload_reaches_the_service(hook, service, major):
    with StandIn(major=major, hook=HOOK, hook_environment=hook.environment) as server:
        server.library.add_label("tags", "ümlaut, 'quote'")
        server.consumption.upload("a.txt", b"text", owner=None, tags=[1])
        server.consumption.wait()
        assert [task["status"] for task in server.library.tasks] == ["success"]
        assert server.consumption.log == [(1, "", "")]
    assert service.ids() == [1]


def test_uploads_by_two_workers_are_spooled(hook):
    with StandIn(hook=HOOK, hook_environment=hook.environment, workers=2) as server:
        for number in range(8):
            server.consumption.upload(f"{number}.txt", b"text %d" % number, owner=None)
        server.consumption.wait()
        assert {task["status"] for task in server.library.tasks} == {"success"}
        said = "".join(out + err for _, out, err in server.consumption.log)
    assert sorted(hook.spooled()) == list(range(1, 9))
    assert "secret" not in said


def test_a_new_version_is_announced_under_its_own_id(hook):
    with StandIn(hook=HOOK, hook_environment=hook.environment) as server:
        number = server.library.add("first").id
        server.consumption.upload("b.txt", b"second", owner=None, root=number)
        server.consumption.wait()
        (event,) = hook.spooled()
        assert event in server.library.versions


def test_the_stand_in_shows_a_failing_hook_as_paperless_does(tmp_path):
    """So that the tests above mean something."""
    script = tmp_path / "hook.sh"
    script.write_text("#!/bin/sh\nexit 3\n")
    script.chmod(0o755)
    with StandIn(hook=script) as server:
        server.consumption.upload("a.txt", b"text", owner=None)
        server.consumption.wait()
        (task,) = server.library.tasks
        assert task["status"] == "failure"
        assert "returned non-zero exit status 3" in task["result_data"]["error_message"]
        assert len(server.library.documents) == 1
