"""Thresholds that were tried are saved: in the settings file, for what runs, and for the library."""

from __future__ import annotations

import stat
from pathlib import Path

import httpx
import pytest
from paperless_work import LETTER, OTHER, RESCAN
from waiting import until

from paperless_fingerprint.settings.loading import load

CONFIG = """\
# What our office settled on
similarity_threshold = 0.750 # sure enough

[near]
threshold = 0.85
"""
ADDRESS = "/api/library/thresholds"


@pytest.fixture
def file(tmp_path) -> Path:
    file = tmp_path / "settings.toml"
    file.write_text(CONFIG)
    file.chmod(0o640)
    return file


def fill(service) -> None:
    for text in (LETTER, RESCAN, OTHER):
        service.add(text)
    service.sync()


def levels(told: dict) -> tuple[float, float, float]:
    return told["similarity"], told["near"], told["version"]


def test_saved_followed_and_put_back(serve, file, stand_in) -> None:
    service = serve(config=str(file), with_worker=True, patience_seconds=5.0, before=fill)
    with service.machine() as admin:
        higher = 1.0  # which no re-scan reaches
        tried = admin.get(ADDRESS, params={"similarity": higher}).json()
        assert (tried["removed"], tried["wrong"], tried["cannot_save"]) == (1, "", "")
        assert file.read_text() == CONFIG
        view = admin.get("/api/library").json()
        assert (view["may_save"], view["saved"]) == (True, None)

        told = admin.put(ADDRESS, json={"similarity": higher}).json()
        assert levels(told["now"]) == (higher, 0.85, 0.75)
        assert levels(told["saved"]["before"]) == (0.75, 0.85, 0.75)
        assert told["saved"]["by"] == "admin"
        assert file.read_text() == CONFIG.replace("0.750", str(higher))
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        # Without a new start: the page at once, the groups as soon as the worker has made them.
        view = admin.get("/api/library").json()
        assert (view["similarity_threshold"], view["saved"]) == (higher, told["saved"])
        until(lambda: admin.get("/api/review").json()["total"] == 0, "that the group goes")
        until(lambda: not list(service.review.store.groups()), "that no group is stored")
        log = admin.get("/api/progress").json()["log"]
        assert any(f"similarity_threshold 0.75 → {higher:g}" in line for line in log)
        assert any("groups and versions are made anew" in line for line in log)

        # The same once more changes nothing, and so keeps what was before.
        assert admin.put(ADDRESS, json={"similarity": higher}).json() == told
        back = admin.post(f"{ADDRESS}/undo").json()
        assert levels(back["now"]) == (0.75, 0.85, 0.75)
        assert file.read_text() == CONFIG
        until(lambda: admin.get("/api/review").json()["total"] == 1, "the group again")
        # And what was put back can be put back.
        assert levels(admin.post(f"{ADDRESS}/undo").json()["now"]) == (higher, 0.85, 0.75)


def test_levels_for_text_alone_are_judged_anew(serve, file) -> None:
    from documents import some_text

    text = some_text(120, seed=4)
    texts = (text, " ".join(text.split()[:-14]))
    a, b = 1, 2

    def filled(service) -> None:
        assert [service.add(each) for each in texts] == [a, b]
        fill(service)

    service = serve(config=str(file), with_worker=True, patience_seconds=5.0, before=filled)
    with service.machine() as admin:
        pairs = lambda: {(p.a, p.b): p.relation.value for p in service.review.store.pairs()}  # noqa: E731
        before = pairs()
        assert before.get((a, b)) == "near"
        assert admin.put(ADDRESS, json={"near": 0.99}).status_code == 200
        until(lambda: (a, b) not in pairs(), "that the pair goes")
        until(lambda: not service.review.store.pending(), "that all is judged")
        assert pairs().keys() == before.keys() - {(a, b)}
        assert admin.post(f"{ADDRESS}/undo").status_code == 200
        until(lambda: pairs() == before, "the pair again")


def test_who_may_save(serve, file) -> None:
    service = serve(config=str(file))
    service.user("anna")
    service.user("root", superuser=True)
    fill(service)
    with service.browser("anna") as anna, service.browser("root") as root:
        tried = anna.get(ADDRESS, params={"similarity": 0.5}).json()
        assert "superuser" in tried["cannot_save"]
        assert anna.put(ADDRESS, json={"similarity": 0.5}).status_code == 403
        assert anna.post(f"{ADDRESS}/undo").status_code == 403
        assert anna.get("/api/library").json()["may_save"] is False
        # From another site, or without the token of the session.
        csrf = root.headers.pop("X-CSRF-Token")
        assert root.put(ADDRESS, json={"similarity": 0.5}).status_code == 403
        assert root.post("/library/thresholds", data={"similarity": "50"}).status_code == 403
        assert root.post("/library/thresholds/undo").status_code == 403
        elsewhere = {"X-CSRF-Token": csrf, "Origin": "https://elsewhere.example"}
        refused = root.put(ADDRESS, json={"similarity": 0.5}, headers=elsewhere)
        assert refused.status_code == 403
        nobody = httpx.put(f"{service.url}{ADDRESS}", json={"similarity": 0.5})
        assert nobody.status_code == 401
        assert file.read_text() == CONFIG
        told = root.put(ADDRESS, json={"similarity": 0.5}, headers={"X-CSRF-Token": csrf})
        assert told.json()["saved"]["by"] == "root"
        # Who did it is for superusers.
        assert anna.get("/api/library").json()["saved"] is None
        assert anna.get("/api/library").json()["similarity_threshold"] == 0.5


def test_whoever_sits_at_this_machine_in_open_mode(serve, file) -> None:
    service = serve(config=str(file), service_open="true")
    fill(service)
    with httpx.Client(base_url=service.url, timeout=60) as client:
        client.headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
        assert client.put(ADDRESS, json={"similarity": 0.5}).status_code == 200
    assert service.settings.similarity_threshold == 0.5


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"similarity": 1.5}, "similarity_threshold is 1.5, but it must lie between 0 and 1; 0.75"),
        ({"near": 0.5}, "[version] threshold is 0.75, above [near] threshold 0.5"),
        ({"version": -1}, "[version] threshold is -1.0"),
    ],
)
def test_what_the_settings_do_not_allow(serve, file, body, named) -> None:
    service = serve(config=str(file))
    fill(service)
    with service.machine() as admin:
        refused = admin.put(ADDRESS, json=body)
        assert (refused.status_code, refused.headers["content-type"]) == (
            400, "application/problem+json",
        )  # fmt: skip
        assert named in refused.json()["detail"]
        assert "works" in refused.json()["detail"] or "work." in refused.json()["detail"]
        assert file.read_text() == CONFIG
        assert admin.get("/api/library").json()["saved"] is None
    if body == {"near": 0.5}:
        with service.machine() as admin:
            assert named in admin.get(ADDRESS, params=body).json()["wrong"]


def test_where_it_cannot_be_saved(serve, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    service = serve(near_threshold="0.9")
    fill(service)
    with service.machine() as admin:
        refused = admin.put(ADDRESS, json={"similarity": 0.5})
        assert refused.status_code == 409
        assert "without a settings file" in refused.json()["detail"]
        tried = admin.get(ADDRESS, params={"similarity": 0.5}).json()
        assert tried["cannot_save"] == refused.json()["detail"]
        assert admin.get("/api/library").json()["similarity_threshold"] == 0.75
        assert admin.post(f"{ADDRESS}/undo").status_code == 409


def test_what_the_environment_says_stays(serve, file) -> None:
    service = serve(config=str(file), near_threshold="0.9")
    fill(service)
    with service.machine() as admin:
        refused = admin.put(ADDRESS, json={"near": 0.95})
        assert refused.status_code == 409
        assert "PAPERLESS_FINGERPRINT_NEAR_THRESHOLD" in refused.json()["detail"]
        assert admin.put(ADDRESS, json={"similarity": 0.5, "near": 0.9}).status_code == 200
    assert file.read_text() == CONFIG.replace("0.750", "0.5")


def test_a_file_that_somebody_has_changed_since(serve, file) -> None:
    service = serve(config=str(file))
    fill(service)
    with service.machine() as admin:
        assert admin.put(ADDRESS, json={"similarity": 0.5}).status_code == 200
        other = file.read_text().replace("0.5 ", "0.6 ") + "\n[inbox]\ntries = 3\n"
        file.write_text(other)
        assert admin.post(f"{ADDRESS}/undo").status_code == 409
        assert file.read_text() == other
        # What else was written there stays, and counts from the next start on.
        assert admin.put(ADDRESS, json={"version": 0.7}).status_code == 200
        assert "tries = 3" in file.read_text()
        assert service.review.settings.inbox.tries == 8
        assert service.review.settings.similarity_threshold == 0.5
    assert load({}, {}, file).version.threshold == 0.7
