"""A running Paperless-ngx with users, documents and labels of a test's own, and what works there."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import httpx
from paperless_work import Office
from waiting import until

#: What the documentation says that the token's user needs, and what merging needs besides.
RIGHTS = (
    "view_document add_document change_document delete_document view_tag add_tag change_tag delete_tag "
    "view_customfield add_customfield delete_customfield view_savedview add_savedview "
    "delete_savedview view_correspondent view_documenttype view_uisettings view_note add_note "
    "delete_note view_paperlesstask view_storagepath"
).split()
LABELS = (
    "tag_exact tag_near tag_primary tag_version tag_contains tag_semantic tag_not_duplicate "
    "field_duplicate field_version field_contains field_confidence field_compare view_name"
).split()
_KINDS = (
    "saved_views", "tags", "custom_fields", "correspondents", "document_types", "storage_paths",
    "users",
)  # fmt: skip

#: One empty page behind the password 'user', made with pikepdf.
LOCKED = base64.b64decode(
    "JVBERi0xLjYKJb/3ov4KMSAwIG9iago8PCAvUGFnZXMgMiAwIFIgL1R5cGUgL0NhdGFsb2cgPj4KZW5kb2JqCjIgMCBv"
    "YmoKPDwgL0NvdW50IDEgL0tpZHMgWyAzIDAgUiBdIC9UeXBlIC9QYWdlcyA+PgplbmRvYmoKMyAwIG9iago8PCAvQ29u"
    "dGVudHMgNCAwIFIgL01lZGlhQm94IFsgMCAwIDIwMCAyMDAgXSAvUGFyZW50IDIgMCBSIC9SZXNvdXJjZXMgPDwgPj4g"
    "L1R5cGUgL1BhZ2UgPj4KZW5kb2JqCjQgMCBvYmoKPDwgL0xlbmd0aCAzMiAvRmlsdGVyIC9GbGF0ZURlY29kZSA+Pgpz"
    "dHJlYW0KNAc3IL2aUuuN/7KZpTl2KAFlGccvlOy9Sxd8PmQK53sKZW5kc3RyZWFtCmVuZG9iago1IDAgb2JqCjw8IC9D"
    "RiA8PCAvU3RkQ0YgPDwgL0F1dGhFdmVudCAvRG9jT3BlbiAvQ0ZNIC9BRVNWMiAvTGVuZ3RoIDE2ID4+ID4+IC9GaWx0"
    "ZXIgL1N0YW5kYXJkIC9MZW5ndGggMTI4IC9PIDwwYmEzODM1Zjg4ZjkwMzg4ZTc0ZTU0NTg0MTI1Y2UxNDJiZTBkZTI0"
    "YzZiMGQzNzc0NmUwNzViODkxNzU2NjcxPiAvUCAtMTAyOCAvUiA0IC9TdG1GIC9TdGRDRiAvU3RyRiAvU3RkQ0YgL1Ug"
    "PDAzNzcxMmMyMzYyM2IxMzk5ZDk4M2IwOWQxOTBlNjcyMDEyMjQ1NmE5MWJhZTUxMzQyNzNhNmRiMTM0Yzg3YzQ+IC9W"
    "IDQgPj4KZW5kb2JqCnhyZWYKMCA2CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAxNSAwMDAwMCBuIAowMDAwMDAw"
    "MDY0IDAwMDAwIG4gCjAwMDAwMDAxMjMgMDAwMDAgbiAKMDAwMDAwMDIyOSAwMDAwMCBuIAowMDAwMDAwMzMyIDAwMDAw"
    "IG4gCnRyYWlsZXIgPDwgL1Jvb3QgMSAwIFIgL1NpemUgNiAvSUQgWzw3ODNmYWFlODI3ZGIyZGVlNmY1MjVlMDlkZTFm"
    "YTY4Yz48NzgzZmFhZTgyN2RiMmRlZTZmNTI1ZTA5ZGUxZmE2OGM+XSAvRW5jcnlwdCA1IDAgUiA+PgpzdGFydHhyZWYK"
    "NjM0CiUlRU9GCg=="
)


class RealPaperless:
    """As the tests see it, with an administrator's rights; takes away in the end what they made."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.mark = f"pf{uuid4().hex[:10]}"
        self._admin = self.client(token)
        self._documents: set[int] = set()
        self._tokens: dict[str, str] = {}
        self._ids: dict[str, int] = {}

    def client(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"Token {token}", "Accept": "application/json; version=9"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=120, trust_env=False)

    def ask(self, method: str, path: str, *, token: str = "", **content: Any) -> Any:
        answer = self.answer(method, path, token=token, **content)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    def answer(self, method: str, path: str, *, token: str = "", **content: Any) -> httpx.Response:
        if not token:
            return self._admin.request(method, f"/api/{path}", **content)
        with self.client(token) as http:
            return http.request(method, f"/api/{path}", **content)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for id in sorted(self._documents):
            self.answer("DELETE", f"documents/{id}/")
        trashed = {row["id"] for row in self._all("trash")} & self._documents
        if trashed:
            self.ask("POST", "trash/", json={"documents": sorted(trashed), "action": "empty"})
        for kind in _KINDS:
            for row in self._all(kind):
                if self.mark in row.get("name", row.get("username", "")):
                    self.answer("DELETE", f"{kind}/{row['id']}/")
        self._admin.close()

    def _all(self, kind: str) -> list[dict[str, Any]]:
        return list(self.ask("GET", f"{kind}/", params={"page_size": 100_000})["results"])

    # --- people ---------------------------------------------------------------------------------

    def user(self, name: str, *, rights: list[str] | None = None, superuser: bool = False) -> int:
        told = {
            "username": f"{name}-{self.mark}",
            "password": self.password(name),
            "is_active": True,
            "is_superuser": superuser,
            "user_permissions": RIGHTS if rights is None else rights,
        }
        self._ids[name] = int(self.ask("POST", "users/", json=told)["id"])
        signed = {"username": told["username"], "password": told["password"]}
        answer = httpx.post(f"{self.url}/api/token/", json=signed, trust_env=False)
        self._tokens[name] = str(answer.raise_for_status().json()["token"])
        return self._ids[name]

    def password(self, name: str) -> str:
        return f"password-of-{name}-{self.mark}"

    def token(self, name: str) -> str:
        return self._tokens[name]

    def id(self, name: str) -> int:
        return self._ids[name]

    # --- documents ------------------------------------------------------------------------------

    def upload(self, text: str, name: str, title: str = "", *, pdf: bytes = b"") -> int:
        """By this person, as on Paperless's page; there when this returns."""
        file = {"document": (f"{title or 'letter'}.txt", text.encode(), "text/plain")}
        if pdf:
            file = {"document": (f"{title or 'letter'}.pdf", pdf, "application/pdf")}
        form = {"title": title or f"letter {self.mark}"}
        token = self._tokens[name]
        task = self.ask("POST", "documents/post_document/", token=token, files=file, data=form)

        def result() -> dict[str, Any] | None:
            found = self.ask("GET", "tasks/", params={"task_id": task})
            rows = found["results"] if isinstance(found, dict) else found
            ended = [row for row in rows if row["status"].lower() in {"success", "failure"}]
            return ended[0] if ended else None

        row = until(result, f"the consumption of {title or 'a letter'}")
        assert row["status"].lower() == "success", row
        self._documents.add(int(row["related_document"]))
        return int(row["related_document"])

    def document(self, id: int) -> dict[str, Any]:
        return dict(self.ask("GET", f"documents/{id}/"))

    def names(self, kind: str) -> dict[int, str]:
        return {row["id"]: row["name"] for row in self._all(kind)}

    def field(self, name: str, data_type: str, *, options: list[str] | None = None) -> int:
        told: dict[str, Any] = {"name": f"{name} {self.mark}", "data_type": data_type}
        if options:
            told["extra_data"] = {"select_options": [{"label": label} for label in options]}
        return int(self.ask("POST", "custom_fields/", json=told)["id"])

    def options(self, field: int) -> dict[str, str]:
        found = self.ask("GET", f"custom_fields/{field}/")["extra_data"]["select_options"]
        return {option["label"]: option["id"] for option in found}


class RealOffice(Office):
    """As against the stand-in: one library, the user 'office' whose token it has, and its letters."""

    def __init__(self, folder: Path, real: RealPaperless) -> None:
        self.real = real
        real.user("office")
        super().__init__(folder, _Address(real.url, real.token("office")))  # type: ignore[arg-type]
        self.labels = {}
        for name in LABELS:
            self.labels[name] = f"{name} {real.mark}"
            self.environment[f"PAPERLESS_FINGERPRINT_PAPERLESS_{name.upper()}"] = self.labels[name]
        others = real.ask("GET", "documents/", token=real.token("office"))["count"]
        assert others == 0, (
            f"This Paperless has {others} documents without an owner, which the tests would write "
            "to. Name one that has none."
        )

    def add(self, content: str, **more: Any) -> int:
        return self.real.upload(content, more.pop("by", "office"), more.pop("title", ""))

    def tags(self, id: int) -> set[str]:
        """Ours, by what the settings call them."""
        names = self.real.names("tags")
        ours = {name: what for what, name in self.labels.items()}
        return {
            ours.get(names[tag], names[tag]).removeprefix("tag_")
            for tag in self.real.document(id)["tags"]
        }

    def fields(self, id: int) -> dict[str, Any]:
        names = self.real.names("custom_fields")
        ours = {name: what for what, name in self.labels.items()}
        found = {names[f["field"]]: f["value"] for f in self.real.document(id)["custom_fields"]}
        return {ours.get(n, n).removeprefix("field_"): value for n, value in found.items()}

    def notes(self, id: int) -> list[str]:
        return [note["note"] for note in self.real.ask("GET", f"documents/{id}/notes/")]

    def tag_id(self, name: str) -> int:
        name = self.labels.get(f"tag_{name}", name)
        return next(id for id, each in self.real.names("tags").items() if each == name)

    def take_off(self, id: int, name: str) -> None:
        self.let_tags_grow_old()
        kept = [tag for tag in self.real.document(id)["tags"] if tag != self.tag_id(name)]
        self.real.ask("PATCH", f"documents/{id}/", json={"tags": kept})

    def put_on(self, id: int, name: str) -> None:
        tags = [*self.real.document(id)["tags"], self.tag_id(name)]
        self.real.ask("PATCH", f"documents/{id}/", json={"tags": tags})

    def bin(self, id: int) -> None:
        self.real.ask("DELETE", f"documents/{id}/")

    def restore(self, id: int) -> None:
        self.real.ask("POST", "trash/", json={"documents": [id], "action": "restore"})

    def save(self, id: int, field: int, text: str) -> int:
        """As Paperless's page does: all fields of the document are sent, one of them changed."""
        values = [v for v in self.real.document(id)["custom_fields"] if v["field"] != field]
        told = {"custom_fields": [*values, {"field": field, "value": text}]}
        return self.real.answer("PATCH", f"documents/{id}/", json=told).status_code


def everything(office: RealOffice, *ids: int) -> dict[int, Any]:
    """All that people and we have given to documents."""
    names = office.real.names("custom_fields")
    return {
        id: (
            [found[name] for name in ("title", "correspondent", "document_type", "storage_path",
                                      "created", "archive_serial_number", "owner")],
            sorted(found["tags"]),
            sorted(note["note"] for note in office.real.ask("GET", f"documents/{id}/notes/")),
            sorted((names[f["field"]], sorted(f["value"]) if isinstance(f["value"], list)
                    else f["value"]) for f in found["custom_fields"]),
        )
        for id in ids
        for found in [office.real.document(id)]
    }  # fmt: skip


class _Address:
    """What an office needs to know of a Paperless that it only speaks to."""

    def __init__(self, url: str, token: str) -> None:
        self.url, self.token = url, token
