"""Paths of saved views, of users and groups, and of the server itself."""

from __future__ import annotations

import re
from collections import Counter

from paperless_fingerprint.demo.stand_in import views
from paperless_fingerprint.demo.stand_in.answers import Answer, insufficient, invalid
from paperless_fingerprint.demo.stand_in.people import ALL_PERMISSIONS, may_view
from paperless_fingerprint.demo.stand_in.routing import Request, route


@route(r"saved_views/", "GET", "POST")
def _views(request: Request, _match: re.Match[str]) -> Answer:
    library, user, version = request.library, request.user, request.api_version
    request.need("savedview")
    if request.method == "POST":
        view = views.create_view(library, user, request.json(), api_version=version)
        return Answer(201, views.show_view(library, user, view, api_version=version))
    return Answer(
        body=request.page(
            views.own_views(library, user),
            lambda view: views.show_view(library, user, view, api_version=version),
            lambda view: int(view["id"]),
        )
    )


@route(r"saved_views/(\d+)/", "GET", "PATCH", "DELETE")
def _view(request: Request, match: re.Match[str]) -> Answer:
    request.need("savedview")
    library, user, version = request.library, request.user, request.api_version
    view = views.view_of(library, user, int(match[1]))
    if request.method == "DELETE":
        del library.views[view["id"]]
        return Answer(204, text="", content_type="")
    if request.method == "PATCH":
        views.change_view(library, user, view, request.json(), api_version=version)
    return Answer(body=views.show_view(library, user, view, api_version=version))


@route(r"ui_settings/", "GET", "POST")
def _ui_settings(request: Request, _match: re.Match[str]) -> Answer:
    request.need("uisettings", "" if request.method == "GET" else "change")
    if request.method == "POST":
        settings = request.json().get("settings")
        request.library.ui_settings[request.user.id] = settings or {}
        return Answer(body={"success": True})
    return Answer(body=views.show_ui_settings(request.library, request.user))


@route(r"profile/", "GET")
def _profile(request: Request, _match: re.Match[str]) -> Answer:
    user = request.user
    return Answer(
        body={
            "email": "",
            "password": "**********",
            "first_name": user.first_name,
            "last_name": user.last_name,
            "auth_token": request.library.people.token_of(user),
            "social_accounts": [],
            "has_usable_password": True,
            "is_mfa_enabled": bool(user.code),
        }
    )


@route(r"users/", "GET", "POST")
def _users(request: Request, _match: re.Match[str]) -> Answer:
    library = request.library
    request.need("user")
    if request.method == "POST":
        told = request.json()
        permissions = set(told.get("user_permissions") or ())
        if not permissions <= set(ALL_PERMISSIONS):
            raise invalid(user_permissions="Object does not exist.")
        user = library.people.add_user(
            told["username"],
            told.get("password", ""),
            permissions=permissions,
            superuser=bool(told.get("is_superuser")),
            groups=told.get("groups") or (),
        )
        return Answer(201, views.show_user(library, user))
    people = sorted(library.people.users.values(), key=lambda user: user.username)
    return Answer(body=request.page(people, lambda user: views.show_user(library, user)))


@route(r"groups/", "GET")
def _groups(request: Request, _match: re.Match[str]) -> Answer:
    request.need("group")
    groups = list(request.library.people.groups.values())
    return Answer(
        body=request.page(
            groups,
            lambda group: {
                "id": group.id,
                "name": group.name,
                "permissions": sorted(group.permissions),
            },
        )
    )


@route(r"statistics/", "GET")
def _statistics(request: Request, _match: re.Match[str]) -> Answer:
    library = request.library
    rows = [r for r in library.documents.values() if may_view(request.user, r)]
    kinds = Counter(row.mime_type for row in rows)
    return Answer(
        body={
            "documents_total": len(rows),
            "documents_inbox": None,
            "inbox_tag": None,
            "inbox_tags": None,
            "document_file_type_counts": [
                {"mime_type": kind, "mime_type_count": count} for kind, count in kinds.items()
            ],
            "character_count": sum(len(row.content) for row in rows),
            "tag_count": len(library.labels["tags"]),
            "correspondent_count": len(library.labels["correspondents"]),
            "document_type_count": len(library.labels["document_types"]),
            "storage_path_count": 0,
            "current_asn": max((row.archive_serial_number or 0 for row in rows), default=0),
        }
    )


@route(r"status/", "GET")
def _status(request: Request, _match: re.Match[str]) -> Answer:
    if not request.user.is_staff:
        raise insufficient()
    return Answer(body={"pngx_version": request.library.version, "install_type": "stand-in"})


@route(r"remote_version/", "GET")
def _remote_version(_request: Request, _match: re.Match[str]) -> Answer:
    return Answer(body={"version": "0.0.0", "update_available": False})


@route(r"workflows/", "GET")
def _workflows(request: Request, _match: re.Match[str]) -> Answer:
    request.need("workflow")
    return Answer(body=request.page([], dict))
