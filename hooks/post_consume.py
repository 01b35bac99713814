#!/usr/bin/env python3
"""Tells paperless-fingerprint that Paperless-ngx has consumed a document, and is gone at once.

Name this file in PAPERLESS_POST_CONSUME_SCRIPT (mode 755). Python 3.9 or later and its standard
library are all it needs. Settings, all from the environment:

    PAPERLESS_FINGERPRINT_SERVICE_URL     where `paperless-fingerprint serve` listens
    PAPERLESS_FINGERPRINT_SERVICE_SECRET  the secret that both sides know
    PAPERLESS_FINGERPRINT_SPOOL           the folder in which events wait

With an address, the document's id is sent there; where that fails within two seconds, and where
there is no address, the event is written to the folder. Without an address, and where the program
is installed beside Paperless, a worker is started that outlives this script.

Three rules shape every line. It must not fail: Paperless shows any other exit code than 0 as a
failed upload, although the document is fine. It must not block: consumption waits for it. It must
not talk: its output lands in Paperless's log, and the environment holds secrets.
"""

# Single file, many runs: every import and every layer that it does without is time that
# consumption does not wait. Hence os instead of pathlib (PTH) and bare try-except-pass
# (SIM105, S110: what is passed over must not be logged, it may hold a secret).
# ruff: noqa: PTH101, PTH102, PTH104, PTH108, PTH111, PTH112, PTH113, PTH117, PTH118, PTH120, PTH123, PTH208
# ruff: noqa: SIM105, S103, S110, S606

import os
import sys

if __name__ == "__main__" and not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
    # The folder of hooks: a script in there that is named like a module of Python is not it.
    del sys.path[0]

import time

# Paperless waits for us, so this file imports next to nothing: `_socket`, `_thread` and `_signal`
# are compiled into Python, while socket, threading, http.client and json cost 5 to 40 ms.

STARTED = time.monotonic()
#: Two seconds are promised for the whole of it; Python's own start and the spool take their share.
NETWORK_SECONDS = 1.7
#: Events that earlier runs could not deliver and that are handed over while the service answers.
MOST_LEFTOVERS = 20
PREFIX = "PAPERLESS_FINGERPRINT_"
IN_DOCKER = "/usr/src/paperless/data"


def say(text: str) -> None:
    """A line for Paperless's log. No address and no value of a setting ever goes in here."""
    try:
        os.write(2, ("paperless-fingerprint: " + text + "\n").encode())
    except OSError:
        pass  # whoever listened is gone; nothing depends on it


def setting(name: str) -> str:
    return os.environ.get(PREFIX + name, "").strip()


def document_id() -> int:
    """Zero where there is none. Version 2 passes the id as an argument too, version 3 does not."""
    told = os.environ.get("DOCUMENT_ID") or (sys.argv[1] if len(sys.argv) > 1 else "")
    told = told.strip()
    if told.isascii() and told.isdigit() and len(told) < 11:
        return int(told)
    return 0


# --- the spool: a small file for each event; paperless/spool.py reads the same format ------------


def spool_folder() -> str:
    """The same order of preference as `default_folder` in paperless/spool.py."""
    home = os.path.expanduser("~")
    told = setting("SPOOL")
    if told:
        # A relative path must not depend on where Paperless happens to stand.
        return os.path.join(home, os.path.expanduser(told))
    data = os.environ.get("PAPERLESS_DATA_DIR", "").strip()
    if not (os.path.isabs(data) and os.path.isdir(data)):
        data = IN_DOCKER
    if os.path.isdir(data):
        return os.path.join(data, "paperless-fingerprint", "spool")
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(home, ".local", "state")
    return os.path.join(state, "paperless-fingerprint", "spool")


def make_folder(path: str) -> None:
    """What is missing of the path. A folder that exists keeps the mode that somebody gave it."""
    if os.path.isdir(path):
        return
    missing = []
    step = path
    while step and not os.path.isdir(step):
        missing.append(step)
        step = os.path.dirname(step)
    for step in reversed(missing):
        try:
            os.mkdir(step, 0o770 if step == path else 0o755)
            if step == path:
                # The worker, perhaps another user of the folder's group, has to remove what it has
                # done; nobody else may plant or delete an event.
                os.chmod(step, 0o2770)
        except FileExistsError:
            continue  # another hook was faster
        sync_folder(os.path.dirname(step))


def sync_folder(path: str) -> None:
    try:
        folder = os.open(path or ".", os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(folder)
    except OSError:
        pass  # some network file systems refuse; the file itself is safe
    finally:
        os.close(folder)


def spool(number: int) -> None:
    """Write the event so that a reader sees all of it or nothing, even after a power cut."""
    folder = spool_folder()
    make_folder(folder)
    now = time.time_ns()
    # Names sort by time; the random part keeps apart what happens in the same nanosecond.
    name = f"{now:020d}-{os.urandom(6).hex()}.json"
    waiting = os.path.join(folder, "." + name + ".tmp")
    content = b'{"format": 1, "document_id": %d, "time_ns": %d}\n' % (number, now)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(waiting, flags, 0o644)
    try:
        try:
            while content:
                content = content[os.write(descriptor, content) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(waiting, os.path.join(folder, name))
    except OSError:
        try:
            os.unlink(waiting)
        except OSError:
            pass
        raise
    sync_folder(folder)


def leftovers() -> list:
    """Events that wait in the spool, oldest first: (path, id)."""
    folder = spool_folder()
    found = []
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return found
    for name in names[:MOST_LEFTOVERS]:
        path = os.path.join(folder, name)
        try:
            # Opening a pipe that somebody has put here would wait for ever.
            flags = os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
            with open(os.open(path, flags), "rb") as file:
                if os.fstat(file.fileno()).st_mode & 0o170000 != 0o100000:
                    continue
                told = file.read(200).split(b'"document_id":')[1].split(b",")[0].strip(b" }\n")
            if name[0] != "." and told.isdigit():
                found.append((path, int(told)))
        except (OSError, IndexError):
            continue  # damaged or just taken; the worker deals with it
    return found


# --- the service ---------------------------------------------------------------------------------


def address(url: str) -> tuple:
    """(is it TLS, host, port, what stands in the Host header, path)."""
    scheme, _, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    authority = authority.rpartition("@")[2]
    host, port = authority, ""
    if authority.startswith("["):
        host, _, port = authority[1:].partition("]")
        port = port.lstrip(":")
    elif ":" in authority:
        host, _, port = authority.rpartition(":")
    if scheme.lower() not in ("http", "https") or not host:
        raise ValueError
    tls = scheme.lower() == "https"
    path = (slash + path).partition("?")[0].partition("#")[0].rstrip("/") + "/api/consume"
    return tls, host, int(port or (443 if tls else 80)), authority, path


def post(url: str, number: int) -> bool:
    """Whether the service took the id. Only the status line of its answer is read."""
    tls, host, port, authority, path = address(url)
    secret = setting("SERVICE_SECRET")
    head = f"POST {path} HTTP/1.1\r\nHost: {authority}\r\n"
    if secret:
        head += f"Authorization: Bearer {secret}\r\n"
    body = f'{{"document_id": {number}}}'
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    if "\r" in secret or "\n" in secret or any(c in authority + path for c in "\r\n "):
        raise ValueError
    message = (head + "Connection: close\r\n\r\n" + body).encode("utf-8")
    connection = connect(host, port)
    try:
        if tls:
            connection = wrapped(connection, host)
        connection.settimeout(seconds_left())
        connection.sendall(message)
        answer = b""
        while b"\n" not in answer and len(answer) < 1000:
            connection.settimeout(seconds_left())
            some = connection.recv(500)
            if not some:
                break
            answer += some
        status = answer.split(b"\n")[0].split()
        return len(status) > 1 and status[0].startswith(b"HTTP/") and status[1][:1] == b"2"
    finally:
        connection.close()


def connect(host: str, port: int) -> object:
    import _socket

    trouble = OSError()
    # Bytes, because text would load the tables of international names.
    found = _socket.getaddrinfo(
        host.encode() if host.isascii() else host, port, 0, _socket.SOCK_STREAM
    )
    for position, (family, kind, protocol, _, where) in enumerate(found):
        connection = _socket.socket(family, kind, protocol)
        try:
            # An address that swallows packets must leave time for the next one.
            connection.settimeout(seconds_left() / (len(found) - position))
            connection.connect(where)
        except OSError as error:
            connection.close()
            trouble = error
        else:
            return connection
    raise trouble


def wrapped(connection: object, host: str) -> object:
    import socket
    import ssl

    plain = socket.socket(fileno=connection.detach())
    try:
        plain.settimeout(seconds_left())
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except BaseException:
        plain.close()
        raise


def seconds_left() -> float:
    left = STARTED + NETWORK_SECONDS - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def deliver(number: int) -> bool:
    """Post the id, in a thread that is left behind where it does not come back in time.

    Nothing else is certain: the resolver of names cannot be interrupted, not even by a signal, and
    a server that sends a byte a second never runs into the time limit of a socket.
    """
    import _thread

    url = setting("SERVICE_URL")
    took = []
    done = _thread.allocate_lock()
    done.acquire()

    def work() -> None:
        try:
            took.append(post(url, number))
        except Exception:
            pass  # whatever it was, the event is spooled; its text might hold a secret
        finally:
            done.release()
        if took and took[0]:
            hand_over_leftovers(url)

    def hand_over_leftovers(url: str) -> None:
        try:
            for path, earlier in leftovers():
                if not post(url, earlier):
                    break
                os.unlink(path)
        except Exception:
            pass  # they stay where they are, for the next time or for the worker
        finally:
            finished.release()

    finished = _thread.allocate_lock()
    finished.acquire()
    _thread.start_new_thread(work, ())
    done.acquire(timeout=max(0, STARTED + NETWORK_SECONDS - time.monotonic()))
    if not (took and took[0]):
        return False
    finished.acquire(timeout=max(0, STARTED + NETWORK_SECONDS - time.monotonic()))
    return True


# --- the program beside Paperless ----------------------------------------------------------------


def program() -> str:
    """Where the command is; empty where it is not installed."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    folders.append(os.path.dirname(sys.executable or ""))
    for folder in folders:
        path = os.path.join(folder, "paperless-fingerprint")
        if os.path.isabs(path) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def start(arguments: list, umask: int) -> None:
    """Start the command so that nothing ties it to us: Paperless waits until every copy of our
    stdout and stderr is closed, and a signal to Paperless's process group must not reach it."""
    if os.fork() != 0:
        return
    try:
        import _signal

        os.setsid()
        os.umask(umask)
        for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGPIPE", "SIGXFSZ"):
            if hasattr(_signal, name):
                _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        try:
            # The limit on descriptors may be a thousand million in a container: look, never count.
            descriptors = [int(name) for name in os.listdir("/dev/fd")]
        except OSError:
            descriptors = range(3, 1024)
        for descriptor in descriptors:
            if descriptor > 2:
                try:
                    os.close(descriptor)
                except OSError:
                    pass
        os.chdir("/")
        # Paperless's own settings (its secret key, its database's password) are not for the worker.
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.startswith(PREFIX) or not name.startswith(("PAPERLESS_", "DOCUMENT_"))
        }
        kept.update({k: os.environ[k] for k in ("PAPERLESS_DATA_DIR",) if k in os.environ})
        os.execve(arguments[0], arguments, kept)
    finally:
        os._exit(127)


# --- the three set-ups ---------------------------------------------------------------------------


def main() -> None:
    umask = os.umask(0)  # modes are given where files are made
    occupy_standard_descriptors()
    number = document_id()
    if not number:
        say("Paperless passed no document id, so there is nothing to do")
        return
    ignore_signals()
    if setting("SERVICE_URL"):
        if deliver(number):
            return
        kept = try_spool(number)
        command = ""
        if kept:
            say(f"the service did not take document {number}; the event waits in the spool")
    else:
        kept = try_spool(number)
        command = program()
    if command:
        arguments = [command, "consume", "--inbox" if kept else str(number)]
        try:
            start(arguments, umask)
        except OSError as error:
            say(f"the worker could not be started ({error.strerror})")
        else:
            return
    if not kept:
        say(f"document {number} was not announced; the next `sync` finds it")


def try_spool(number: int) -> bool:
    try:
        spool(number)
    except Exception as error:
        # Not the path: it is the value of a setting.
        why = getattr(error, "strerror", None) or type(error).__name__
        say(f"the event of document {number} could not be written to the spool ({why})")
        return False
    return True


def occupy_standard_descriptors() -> None:
    """Where a parent has closed them, a file or socket of ours would get their numbers, and what
    is said to stderr would land in it."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR)
        if descriptor > 2:
            os.close(descriptor)
            return


def ignore_signals() -> None:
    """Whoever stops Paperless now would turn a consumed document into a 'failed' one."""
    import _signal

    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        if hasattr(_signal, name):
            _signal.signal(getattr(_signal, name), _signal.SIG_IGN)


if __name__ == "__main__":
    try:
        main()
    except BaseException as error:
        say(f"the hook met {type(error).__name__}; Paperless is not affected")
    # No clean-up: a thread that waits for the network must not be waited for.
    os._exit(0)
