"""Values of custom fields: what is accepted, and how document links are kept symmetrical."""

from __future__ import annotations

import re
from typing import Any

from paperless_fingerprint.demo.stand_in.answers import (
    invalid,
    not_found,
    refused,
    server_error,
)
from paperless_fingerprint.demo.stand_in.library import CustomField, Library, Row
from paperless_fingerprint.demo.stand_in.people import User, may_change

DATA_TYPES = ("string url date boolean integer float monetary documentlink select longtext").split()
MOST_CHARACTERS = 128
_TWICE = "Some {0} in {1} don't exist or were specified twice."


def custom_field(library: Library, number: int) -> CustomField:
    try:
        return library.fields[number]
    except KeyError:
        raise not_found("CustomField") from None


def create_field(library: Library, body: dict[str, Any]) -> CustomField:
    name, data_type = body.get("name"), body.get("data_type")
    if not isinstance(name, str) or not name:
        raise invalid(
            name="This field is required." if name is None else "This field may not be blank."
        )
    if data_type not in DATA_TYPES:
        raise invalid(data_type=f'"{data_type}" is not a valid choice.')
    if any(field.name == name for field in library.fields.values()):
        raise invalid(name="custom field with this name already exists.")
    number = library.number("custom_field")
    extra = body.get("extra_data")
    if data_type == "select" and isinstance(extra, dict):
        for position, option in enumerate(extra.get("select_options") or ()):
            option.setdefault("id", f"option{number:04d}{position:06d}")
    field = CustomField(number, name, data_type, extra)
    library.fields[number] = field
    return field


def show_field(library: Library, field: CustomField, *, counted: bool = True) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": field.id,
        "name": field.name,
        "data_type": field.data_type,
        "extra_data": field.extra_data,
    }
    if counted:
        rows = library.documents.values()
        shown["document_count"] = sum(field.id in row.custom_fields for row in rows)
    return shown


class BadValueError(Exception):
    """What is wrong with a value; whoever was sent it says so in a form of its own."""


def check_value(library: Library, user: User, field: CustomField, value: Any) -> Any:
    """The value as it is kept."""
    if value is None:
        return None
    kind = field.data_type
    if kind in {"string", "monetary"} and len(str(value)) > MOST_CHARACTERS:
        length = len(str(value))
        raise BadValueError(
            f"Ensure this value has at most {MOST_CHARACTERS} characters (it has {length})."
        )
    if kind == "url" and not re.match(r"^[a-zA-Z][\w+.-]*:", str(value)):
        raise BadValueError(f"Unable to parse URI {value}, missing scheme")
    if kind in {"float", "integer"}:
        try:
            return float(value) if kind == "float" else int(value)
        except (TypeError, ValueError):
            raise server_error() from None  # a known fault of Paperless
    if kind == "select":
        options = (field.extra_data or {}).get("select_options") or []
        if value not in {option["id"] for option in options}:
            raise BadValueError(f"Value must be an id of an element in {options}")
    if kind == "documentlink":
        if not isinstance(value, list):
            raise BadValueError("Value must be a list")
        # One that is dead makes the whole value wrong, whoever had set it.
        if len(set(value)) != len(value) or not all(n in library.documents for n in value):
            raise BadValueError(_TWICE.format("documents", "value"))
        if not all(may_change(user, library.documents[n]) for n in value):
            raise refused(403, "Insufficient permissions.")
        return list(value)
    return value


def replace_fields(library: Library, row: Row, user: User, told: Any) -> None:
    """PATCH {"custom_fields": […]}: what is not listed is taken off the document."""
    if not isinstance(told, list):
        raise invalid(custom_fields="Expected a list of items.")
    values: dict[int, Any] = {}
    errors: list[dict[str, Any]] = []
    for item in told:
        number = item.get("field")
        errors.append({})
        if number not in library.fields:
            errors[-1] = {"field": [f'Invalid pk "{number}" - object does not exist.']}
            continue
        try:
            values[number] = check_value(library, user, library.fields[number], item.get("value"))
        except BadValueError as error:
            errors[-1] = {"non_field_errors": [str(error)]}
    if any(errors):
        raise invalid(custom_fields=errors)
    for number in [n for n in row.custom_fields if n not in values]:
        remove_value(library, row, number)
    for number, value in values.items():
        if library.fields[number].data_type == "documentlink":
            gone = set(row.custom_fields.get(number) or ()) - set(value or ())
            _unlink(library, row, number, gone)
        set_value(library, row, number, value)


def set_value(library: Library, row: Row, number: int, value: Any) -> None:
    """As a bulk edit does it: new links get their back links, old back links stay behind."""
    row.custom_fields[number] = value
    if library.fields[number].data_type == "documentlink":
        for target in value or ():
            other = library.documents.get(target)
            if other is not None and other is not row:
                back = list(other.custom_fields.get(number) or ())
                if row.id not in back:
                    other.custom_fields[number] = [*back, row.id]


def remove_value(library: Library, row: Row, number: int) -> None:
    if number not in row.custom_fields:
        return
    value = row.custom_fields.pop(number)
    field = library.fields.get(number)
    if field is not None and field.data_type == "documentlink":
        _unlink(library, row, number, set(value or ()))


def _unlink(library: Library, row: Row, number: int, targets: set[int]) -> None:
    for target in targets:
        other = library.documents.get(target)
        if other is not None and other is not row and number in other.custom_fields:
            back = other.custom_fields[number] or ()
            other.custom_fields[number] = [n for n in back if n != row.id]


def delete_field(library: Library, number: int) -> None:
    custom_field(library, number)
    del library.fields[number]
    for row in library.documents.values():
        row.custom_fields.pop(number, None)
