"""`bulk_edit`: merges, and fails as a whole.

One id that is unknown, repeated or in the trash: 400. One document that the user may not change:
403, in plain text. The changes are made at once, `modified` follows a moment later, and follows
even where nothing was changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from paperless_fingerprint.demo.stand_in.answers import insufficient, invalid
from paperless_fingerprint.demo.stand_in.documents import trash_document
from paperless_fingerprint.demo.stand_in.fields import (
    BadValueError,
    check_value,
    remove_value,
    set_value,
)
from paperless_fingerprint.demo.stand_in.labels import add_tags, remove_tags, set_permissions
from paperless_fingerprint.demo.stand_in.library import Library, Row
from paperless_fingerprint.demo.stand_in.people import User, may_change, may_delete

Parameters = Mapping[str, Any]
#: Methods of Paperless that the stand-in accepts and that change nothing here.
_WITHOUT_EFFECT = (
    "reprocess",
    "rotate",
    "merge",
    "edit_pdf",
    "remove_password",
    "split",
    "delete_pages",
)


def bulk_edit(library: Library, user: User, body: Mapping[str, Any]) -> dict[str, str]:
    method = body.get("method")
    if method not in _METHODS and method not in _WITHOUT_EFFECT:
        raise invalid(method=f'"{method}" is not a valid choice.')
    told = body.get("documents")
    if not isinstance(told, list) or not all(type(number) is int for number in told):
        raise invalid(documents="Expected a list of items.")
    if len(set(told)) != len(told) or not all(library.exists(number) for number in told):
        raise invalid(documents="Some documents in documents don't exist or were specified twice.")
    parameters = body.get("parameters") or {}
    _check(library, user, str(method), parameters)
    # A version row counts as a document here, and what is done to it is lost.
    rows = [library.documents[number] for number in told if number in library.documents]
    if not all(may_change(user, row) for row in rows):
        raise insufficient()
    if method == "delete" and not all(may_delete(user, row) for row in rows):
        raise insufficient()
    if method in _METHODS:
        _METHODS[str(method)](library, rows, parameters)
    library.touch_later(row.id for row in rows)
    return {"result": "OK"}


def _check(library: Library, user: User, method: str, parameters: Parameters) -> None:
    if method == "modify_tags":
        for name in ("add_tags", "remove_tags"):
            if name not in parameters:
                raise invalid(non_field_errors=f"{name} not specified")
            _check_known(name, "tags", parameters[name], library.labels["tags"])
    elif method in {"add_tag", "remove_tag"}:
        if "tag" not in parameters:
            raise invalid(non_field_errors="tag not specified")
        if parameters["tag"] not in library.labels["tags"]:
            raise invalid(non_field_errors="Tag does not exist")
    elif method == "modify_custom_fields":
        for name in ("add_custom_fields", "remove_custom_fields"):
            if name not in parameters:
                raise invalid(non_field_errors=f"{name} not specified")
            numbers = [int(number) for number in parameters[name]]
            _check_known(name, "custom fields", numbers, library.fields)
        _check_values(library, user, parameters["add_custom_fields"])


def _check_values(library: Library, user: User, added: Any) -> None:
    if not isinstance(added, Mapping):
        return
    errors: dict[str, Any] = {}
    for number, value in added.items():
        field = library.fields[int(number)]
        if field.data_type in {"float", "integer"}:
            continue  # a text in a field of numbers is kept as it is
        try:
            check_value(library, user, field, value)
        except BadValueError as error:
            errors[str(number)] = {"non_field_errors": [str(error)]}
    if errors:
        raise invalid(add_custom_fields=errors)


def _check_known(name: str, kind: str, told: Any, known: Mapping[int, Any]) -> None:
    numbers = list(told or ())
    if len(set(numbers)) != len(numbers) or not all(number in known for number in numbers):
        text = f"Some {kind} in {name} don't exist or were specified twice."
        raise invalid(non_field_errors=text)


def _modify_tags(library: Library, rows: list[Row], parameters: Parameters) -> None:
    for row in rows:
        tags = remove_tags(library, row.tags, parameters.get("remove_tags", ()))
        row.tags = add_tags(library, tags, parameters.get("add_tags", ()))


def _modify_fields(library: Library, rows: list[Row], parameters: Parameters) -> None:
    added = parameters["add_custom_fields"]
    values = added if isinstance(added, Mapping) else dict.fromkeys(added)
    for row in rows:
        for number, value in values.items():
            if isinstance(value, list) and row.id in value:
                continue  # a document is not linked with itself, and the others are forgotten, too
            set_value(library, row, int(number), value)
        for number in parameters["remove_custom_fields"]:
            remove_value(library, row, int(number))


def _set_label(name: str) -> Callable[[Library, list[Row], Parameters], None]:
    def apply(_library: Library, rows: list[Row], parameters: Parameters) -> None:
        for row in rows:
            setattr(row, name, parameters.get(name))

    return apply


def _delete(library: Library, rows: list[Row], _parameters: Parameters) -> None:
    for row in rows:
        trash_document(library, row)


def _set_permissions(_library: Library, rows: list[Row], parameters: Parameters) -> None:
    for row in rows:
        if "owner" in parameters:
            row.owner = parameters["owner"]
        set_permissions(row, parameters.get("set_permissions"))


_METHODS: dict[str, Callable[[Library, list[Row], Parameters], None]] = {
    "modify_tags": _modify_tags,
    "add_tag": lambda library, rows, told: _modify_tags(library, rows, {"add_tags": [told["tag"]]}),
    "remove_tag": lambda library, rows, told: _modify_tags(
        library, rows, {"remove_tags": [told["tag"]]}
    ),
    "modify_custom_fields": _modify_fields,
    "set_correspondent": _set_label("correspondent"),
    "set_document_type": _set_label("document_type"),
    "set_storage_path": _set_label("storage_path"),
    "set_permissions": _set_permissions,
    "delete": _delete,
}
