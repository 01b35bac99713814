"""Between values and JSON: the schema of a dataclass, and a dataclass from what somebody sent.

The read models are described once, by their types; the description of the API and the check of
what comes in are made from them.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from paperless_fingerprint.errors import UsageError

Schema = dict[str, Any]
#: Names and texts that are sent to us; a title may be as long as it likes on its way out.
_MOST_CHARACTERS = 10_000
_MOST_ITEMS = 1_000
_PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean"}


def schema_of(kind: Any, schemas: dict[str, Schema]) -> Schema:
    """With a reference for each dataclass, whose own schema is put into `schemas`."""
    origin = get_origin(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if kind is Any:
        return {}
    if kind is type(None):
        return {"type": "null"}
    if origin in {Union, types.UnionType}:
        parts = [schema_of(part, schemas) for part in get_args(kind)]
        if all(set(part) == {"type"} for part in parts):
            return {"type": [part["type"] for part in parts]}
        return {"anyOf": parts}
    if origin in {tuple, list}:
        inner, *rest = get_args(kind)
        if rest and rest != [Ellipsis]:
            items = [schema_of(part, schemas) for part in get_args(kind)]
            size = len(items)
            return {
                "type": "array", "prefixItems": items, "minItems": size, "maxItems": size,
            }  # fmt: skip
        return {"type": "array", "items": schema_of(inner, schemas)}
    if origin in {dict, Mapping}:
        return {"type": "object", "additionalProperties": schema_of(get_args(kind)[1], schemas)}
    if is_dataclass(kind):
        name = kind.__name__  # type: ignore[union-attr]
        if name not in schemas:
            schemas[name] = {}  # it may hold itself
            schemas[name] = _object(kind, schemas)
        return {"$ref": f"#/components/schemas/{name}"}
    raise TypeError(f"{kind} has no place in JSON")


def _object(kind: Any, schemas: dict[str, Schema]) -> Schema:
    hints = _hints(kind)
    found: Schema = {
        "type": "object",
        "properties": {name: schema_of(hint, schemas) for name, hint in hints.items()},
        "required": _required(kind),
        "additionalProperties": False,
    }
    if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}("):
        found["description"] = " ".join(kind.__doc__.split())
    return found


def _required(kind: Any) -> list[str]:
    """Of what comes in; what goes out has everything, which is the same to whoever reads it."""
    return [
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    ]


@lru_cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def value_of(kind: Any, told: Any, where: str = "the body") -> Any:
    """`told` as a value of this kind; UsageError names the place where it is none."""
    origin = get_origin(kind)
    if kind is type(None):
        if told is None:
            return None
        raise _wrong(where, "null")
    if origin in {Union, types.UnionType}:
        for part in get_args(kind):
            if (part is type(None)) == (told is None):
                return value_of(part, told, where)
        raise _wrong(where, " or ".join(_named(part) for part in get_args(kind)))
    if origin in {tuple, list}:
        if not isinstance(told, list) or len(told) > _MOST_ITEMS:
            raise _wrong(where, f"a list of at most {_MOST_ITEMS:,}")
        found = [value_of(get_args(kind)[0], each, f"{where}[{i}]") for i, each in enumerate(told)]
        return tuple(found) if origin is tuple else found
    if is_dataclass(kind):
        return _dataclass(kind, told, where)
    if kind is float and isinstance(told, int) and not isinstance(told, bool):
        return float(told)
    if type(told) is not kind:
        raise _wrong(where, _named(kind))
    if kind is str and len(told) > _MOST_CHARACTERS:
        raise _wrong(where, f"at most {_MOST_CHARACTERS:,} characters long")
    if kind is int and not -(2**53) < told < 2**53:
        raise _wrong(where, "a number of ordinary size")
    return told


def _dataclass(kind: Any, told: Any, where: str) -> Any:
    if not isinstance(told, Mapping):
        raise _wrong(where, "an object")
    hints = _hints(kind)
    unknown = set(told) - set(hints)
    if unknown:
        raise UsageError(f"{where} has '{str(min(unknown))[:40]}', which is not known.")
    missing = set(_required(kind)) - set(told)
    if missing:
        raise UsageError(f"'{min(missing)}' is missing in {where}.")
    return kind(**{name: value_of(hints[name], told[name], f"{where}.{name}") for name in told})


def _named(kind: Any) -> str:
    return {int: "a whole number", float: "a number", str: "text", bool: "true or false"}.get(
        kind, getattr(kind, "__name__", str(kind))
    )


def _wrong(where: str, what: str) -> UsageError:
    return UsageError(f"{where} must be {what}.")
