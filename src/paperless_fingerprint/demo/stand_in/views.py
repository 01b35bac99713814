"""Saved views, and who is asking: what `ui_settings` tells about the user of a token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paperless_fingerprint.demo.stand_in.answers import invalid, not_found
from paperless_fingerprint.demo.stand_in.library import Library
from paperless_fingerprint.demo.stand_in.people import User

LAST_RULE_TYPE = 49
_VISIBILITY = {
    "show_on_dashboard": "dashboard_views_visible_ids",
    "show_in_sidebar": "sidebar_views_visible_ids",
}
_WRITABLE = (
    "name", "sort_field", "sort_reverse", "filter_rules", "page_size", "display_mode",
    "display_fields", "owner",
)  # fmt: skip


def _visible(library: Library, user: User) -> dict[str, list[int]]:
    settings = library.ui_settings.setdefault(user.id, {})
    views: dict[str, list[int]] = settings.setdefault("saved_views", {})
    for name in _VISIBILITY.values():
        views.setdefault(name, [])
    return views


def own_views(library: Library, user: User) -> list[dict[str, Any]]:
    return [view for view in library.views.values() if view["owner"] in {None, user.id}]


def view_of(library: Library, user: User, number: int) -> dict[str, Any]:
    view = library.views.get(number)
    if view is None or view["owner"] not in {None, user.id}:
        raise not_found("SavedView")
    return view


def show_view(
    library: Library, user: User, view: dict[str, Any], *, api_version: int
) -> dict[str, Any]:
    shown = {**view, "user_can_change": view["owner"] in {None, user.id}}
    if api_version < 10:
        visible = _visible(library, user)
        for name, ids in _VISIBILITY.items():
            shown[name] = view["id"] in visible[ids]
    return shown


def _check_rules(body: Mapping[str, Any]) -> None:
    problems = []
    for rule in body["filter_rules"]:
        kind = rule.get("rule_type")
        known = type(kind) is int and 0 <= kind <= LAST_RULE_TYPE
        problems.append({} if known else {"rule_type": [f'"{kind}" is not a valid choice.']})
    if any(problems):
        raise invalid(filter_rules=problems)


def create_view(
    library: Library, user: User, body: Mapping[str, Any], *, api_version: int
) -> dict[str, Any]:
    if "filter_rules" not in body:
        raise invalid(filter_rules="This field is required.")
    if not body.get("name"):
        raise invalid(name="This field is required.")
    _check_rules(body)
    number = library.number("saved_view")
    defaults = {"sort_reverse": False, "owner": user.id}
    given = {name: body.get(name, defaults.get(name)) for name in _WRITABLE}
    library.views[number] = {"id": number, **given, "sort_reverse": bool(given["sort_reverse"])}
    _set_visibility(library, user, number, body, api_version)
    return library.views[number]


def change_view(
    library: Library, user: User, view: dict[str, Any], body: Mapping[str, Any], *, api_version: int
) -> None:
    if "filter_rules" in body:
        _check_rules(body)
    view |= {name: body[name] for name in _WRITABLE if name in body}
    _set_visibility(library, user, view["id"], body, api_version)


def _set_visibility(
    library: Library, user: User, number: int, body: Mapping[str, Any], api_version: int
) -> None:
    """Version 10 keeps it in the user's settings alone and ignores it here."""
    if api_version >= 10:
        return
    visible = _visible(library, user)
    for name, ids in _VISIBILITY.items():
        if body.get(name) is True and number not in visible[ids]:
            visible[ids].append(number)
        elif body.get(name) is False and number in visible[ids]:
            visible[ids].remove(number)


def show_ui_settings(library: Library, user: User) -> dict[str, Any]:
    return {
        "user": {
            "id": user.id,
            "username": user.username,
            "is_staff": user.is_staff,
            "is_superuser": user.is_superuser,
            "groups": sorted(user.groups),
        },
        "settings": {
            **library.ui_settings.get(user.id, {}),
            "update_checking": {"backend_setting": "default"},
            "trash_delay": 30,
            "version": library.version,
            "app_title": None,
            "app_logo": None,
            "auditlog_enabled": True,
            "email_enabled": False,
            "ai_enabled": False,
        },
        "permissions": sorted(library.people.permissions_of(user)),
    }


def show_user(library: Library, user: User) -> dict[str, Any]:
    return {
        "id": user.id,
        "username": user.username,
        "email": "",
        "password": "**********",
        "first_name": user.first_name,
        "last_name": user.last_name,
        "date_joined": "2026-01-01T00:00:00Z",
        "is_staff": user.is_staff,
        "is_active": True,
        "is_superuser": user.is_superuser,
        "groups": sorted(user.groups),
        "user_permissions": sorted(user.permissions),
        "inherited_permissions": sorted(library.people.inherited(user)),
        "is_mfa_enabled": bool(user.code),
    }
