"""What `doctor` looks at on Paperless's side: address, version, clock, each permission, hook, spool,
inbox. Each finding says what is so and, where it is amiss, what to do."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from pathlib import Path

from paperless_fingerprint.checkup import notify
from paperless_fingerprint.checkup.finding import Finding, Part
from paperless_fingerprint.errors import ExitCode, FingerprintError, PaperlessError
from paperless_fingerprint.integration.context import open_inbox, open_spool
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.labels import LINKS
from paperless_fingerprint.languages import gettext as _
from paperless_fingerprint.languages import mark, ngettext, whole
from paperless_fingerprint.paperless.client import PaperlessClient
from paperless_fingerprint.paperless.opening import open_paperless
from paperless_fingerprint.paperless.records import TokenUser
from paperless_fingerprint.paperless.refusals import DeniedError
from paperless_fingerprint.settings.registry import Settings

_CLOCK_SECONDS = 60
#: As long as the hook would wait.
_SERVICE_SECONDS = 2.0
#: Paperless's own variable, and where the documentation tells people to mount the hook.
HOOK_VARIABLE = "PAPERLESS_POST_CONSUME_SCRIPT"
#: Permission → what does not work without it, in the words of Paperless's own settings page.
PERMISSIONS = {
    "view_document": mark("nothing can be found"),
    "change_document": mark("no tags and links can be written"),
    "view_tag": mark("our own tags are not found again"),
    "add_tag": mark("our own tags cannot be created"),
    "change_tag": mark("our own tags are not renamed with the setting"),
    "view_customfield": mark("no links, no confidence and no address to compare are written"),
    "add_customfield": mark(
        "the fields for links, confidence and the address to compare cannot be created"
    ),
    "view_savedview": mark("the saved view is not found again"),
    "add_savedview": mark("the saved view cannot be created"),
    "view_correspondent": mark("correspondents are shown as numbers instead of names"),
    "view_documenttype": mark("document types are shown as numbers instead of names"),
    "view_uisettings": mark("the permissions cannot be checked"),
}
_WITH_NOTES = {
    "view_note": mark("notes are not found again"),
    "add_note": mark("no notes are written"),
    "delete_note": mark("notes are not removed"),
}
_WITH_TRASH = {
    "delete_document": mark("nothing can be moved to the trash or restored from it"),
}
#: Without these `apply --remove-all` leaves the tags, the fields and the saved view themselves behind.
_FOR_REMOVAL = ("delete_tag", "delete_customfield", "delete_savedview")

_PAPERLESS, _CLOCK, _LINKS, _DOCUMENTS, _TOKEN = map(
    Part, ("paperless", "clock", "links", "documents", "token")
)
_HOOK, _SPOOL, _INBOX, _SERVICE = map(Part, ("hook", "spool", "inbox", "service"))


def examine(settings: Settings) -> tuple[list[Finding], ExitCode]:
    """Paperless only where an address is set: a library may as well come from a file."""
    findings: list[Finding] = []
    worst = ExitCode.DONE
    if settings.paperless.url:
        try:
            with open_paperless(settings) as paperless:
                findings += _paperless(paperless, settings)
        except FingerprintError as error:
            findings.append(_PAPERLESS.failed(error))
            worst = ExitCode(error.exit_code)
    else:
        findings.append(
            _PAPERLESS.not_seen(
                "No address is set (PAPERLESS_FINGERPRINT_PAPERLESS_URL): documents come only "
                "from 'import'."
            )
        )
    if worst is ExitCode.DONE and not all(finding.ok for finding in findings):
        worst = ExitCode.PAPERLESS
    local = [
        *_hook(), *_spool(settings), *_inbox(settings), *_service(settings), *notify.examine(settings)
    ]  # fmt: skip
    if worst is ExitCode.DONE and not all(finding.ok for finding in local):
        worst = ExitCode.CONFIGURATION
    return findings + local, worst


def _paperless(paperless: PaperlessClient, settings: Settings) -> Iterator[Finding]:
    version = paperless.server_version()
    yield _PAPERLESS.fine(
        "Paperless-ngx %(version)s at %(address)s (API %(api)s).",
        version=version.paperless or _("of an unknown version"),
        address=paperless.url,
        api=version.api,
    )
    ahead = version.clock_ahead_seconds
    if ahead is not None and ahead > _CLOCK_SECONDS:
        yield _CLOCK.amiss(
            "The clock of Paperless is %(seconds)s seconds ahead of this computer's. Set both "
            "by NTP: dates of changes are compared.",
            seconds=whole(round(ahead)),
        )
    elif ahead is not None and ahead < -_CLOCK_SECONDS:
        yield _CLOCK.amiss(
            "The clock of Paperless is %(seconds)s seconds behind this computer's. Set both by "
            "NTP: dates of changes are compared.",
            seconds=whole(round(-ahead)),
        )
    elif ahead is not None:
        yield _CLOCK.fine("The clocks agree.")
    yield from _links(paperless, settings)
    person = paperless.person()
    if person.permissions is None:
        yield _TOKEN.amiss(
            "The token's user lacks the permission view_uisettings ('UI Settings: view' in "
            "Paperless under Users and Groups), so its other permissions cannot be checked."
        )
        yield from _by_trying(paperless)
    else:
        yield from _permissions(person, settings)
        yield _documents(paperless, person)


def _links(paperless: PaperlessClient, settings: Settings) -> Iterator[Finding]:
    try:
        names = {settings.value(f"paperless.field_{kind}") for kind in LINKS}
        fields = [
            field.id
            for field in paperless.custom_fields()
            if field.data_type == "documentlink" and field.name in names
        ]
        found = dead_links.dead(paperless, fields)
    except DeniedError:
        return  # which permission is missing is said below
    holders = len({id for id, _ in found})
    if holders:
        yield _LINKS.amiss_n(
            "%(num)s document in Paperless still has a link to a deleted one, and Paperless "
            "refuses to save its custom fields. 'paperless-fingerprint sync' removes the link.",
            "%(num)s documents in Paperless still have a link to a deleted one, and Paperless "
            "refuses to save their custom fields. 'paperless-fingerprint sync' removes such "
            "links.",
            holders,
        )
    elif fields:
        yield _LINKS.fine("None of our links leads to a deleted document.")


def _documents(paperless: PaperlessClient, person: TokenUser) -> Finding:
    """A token without rights to a document is told of none: what it misses cannot be counted."""
    try:
        count = paperless.count()
    except DeniedError as error:
        return _DOCUMENTS.failed(error)
    if person.is_superuser:
        return _DOCUMENTS.fine_n(
            "The token sees %(num)s document: all there are.",
            "The token sees %(num)s documents: all there are.",
            count,
        )
    seen = ngettext(
        "The token sees %(num)s document. Documents that belong to others and are not shared "
        "with '%(user)s' are invisible to it, and what someone uploads in Paperless belongs to "
        "that person. To see more, use an administrator's token, or share the documents.",
        "The token sees %(num)s documents. Documents that belong to others and are not shared "
        "with '%(user)s' are invisible to it, and what someone uploads in Paperless belongs to "
        "that person. To see more, use an administrator's token, or share the documents.",
        count,
        user=person.username,
    )
    return Finding(_DOCUMENTS.name, count > 0, seen)


def _by_trying(paperless: PaperlessClient) -> Iterator[Finding]:
    for what, act in (
        ("view_document", paperless.document_ids),
        ("view_tag", paperless.tags),
        ("view_customfield", paperless.custom_fields),
    ):
        try:
            act()
        except PaperlessError as error:
            yield _TOKEN.amiss("%(permission)s is missing: %(why)s", permission=what, why=error)


def _permissions(person: TokenUser, settings: Settings) -> Iterator[Finding]:
    wanted = dict(PERMISSIONS)
    if settings.paperless.notes:
        wanted |= _WITH_NOTES
    if settings.exact.policy == "replace":
        wanted |= _WITH_TRASH
    missing = [name for name in wanted if person.may(name) is False]
    for name in missing:
        yield _TOKEN.amiss(
            "The user '%(user)s' lacks the permission %(permission)s: %(consequence)s. Grant it "
            "in Paperless under Users and Groups.",
            user=person.username,
            permission=name,
            consequence=_(wanted[name]),
        )
    optional = [name for name in _FOR_REMOVAL if person.may(name) is False]
    if missing:
        return
    if person.is_superuser:
        yield _TOKEN.fine(
            "The user '%(user)s', an administrator, has all permissions.", user=person.username
        )
    elif optional:
        yield _TOKEN.fine(
            "The user '%(user)s' has all permissions that are needed. Only 'apply --remove-all' "
            "would need %(optional)s, too.",
            user=person.username,
            optional=", ".join(optional),
        )
    else:
        yield _TOKEN.fine(
            "The user '%(user)s' has all permissions that are needed.", user=person.username
        )


def _hook() -> Iterator[Finding]:
    """Only where we stand beside Paperless, or share its environment, can it be looked at."""
    told = os.environ.get(HOOK_VARIABLE, "").strip()
    if not told:
        yield _HOOK.not_seen(
            "%(variable)s is not set here. In Paperless's own environment it must be the path "
            "of the file hooks/post_consume.py.",
            variable=HOOK_VARIABLE,
        )
        return
    found = list(_found_of_hook(Path(told)))
    yield from found or [_HOOK.fine("The hook %(path)s is OK.", path=Path(told))]


def _found_of_hook(path: Path) -> Iterator[Finding]:
    try:
        mode, content = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        yield _HOOK.amiss(
            "The hook %(path)s cannot be read (%(why)s). %(variable)s must be one path, without "
            "arguments, as Paperless sees it.",
            path=path,
            why=error.strerror,
            variable=HOOK_VARIABLE,
        )
        return
    if not mode & stat.S_IXOTH:
        yield _HOOK.amiss(
            "Not everyone may execute the hook %(path)s. Run: chmod 755 %(path)s", path=path
        )
    if b"\r\n" in content:
        yield _HOOK.amiss(
            "The hook %(path)s has Windows line endings, so Linux does not find its "
            "interpreter. Copy it again without changing it.",
            path=path,
        )
    if not content.startswith(b"#!"):
        yield _HOOK.amiss(
            "The hook %(path)s does not begin with '#!/usr/bin/env python3'.", path=path
        )
    elif b"paperless-fingerprint" not in content:
        yield _HOOK.amiss(
            "The hook %(path)s is another program; if it calls ours, that is fine.", path=path
        )
    if mode & stat.S_IWOTH:
        yield _HOOK.amiss(
            "Everyone may write to the hook %(path)s. Run: chmod 755 %(path)s", path=path
        )


def _spool(settings: Settings) -> Iterator[Finding]:
    spool = open_spool(settings)
    if not spool.folder.is_dir():
        yield _SPOOL.not_seen(
            "The event folder %(folder)s does not exist yet; the first event creates it. "
            "PAPERLESS_FINGERPRINT_SPOOL must be the same folder here and for the hook.",
            folder=spool.folder,
        )
        return
    try:
        waiting = sum(1 for _ in spool.events())
    except FingerprintError as error:
        yield _SPOOL.failed(error)
        return
    if not os.access(spool.folder, os.W_OK | os.X_OK):
        yield _SPOOL.amiss(
            "This user may not remove events from the event folder %(folder)s: give it write "
            "permission on that folder.",
            folder=spool.folder,
        )
    mode = spool.folder.stat().st_mode
    if mode & stat.S_IWOTH:
        yield _SPOOL.amiss(
            "Everyone on this computer may add and delete events in the event folder "
            "%(folder)s. Give it a group that the users of the hook and of the service belong "
            "to, and run: chmod 2770 %(folder)s",
            folder=spool.folder,
        )
    unreadable = len(spool.unreadable())
    if unreadable:
        yield _SPOOL.amiss(
            "%(count)s events in %(folder)s may not be read by this user, or are not files: "
            "give it read permission on the files, and delete what is not a file.",
            count=unreadable,
            folder=spool.folder,
        )
    damaged = len(spool.damaged())
    if damaged:
        yield _SPOOL.amiss(
            "%(count)s files in %(folder)s/damaged are not events. A sync still finds the "
            "documents; delete the files after it.",
            count=damaged,
            folder=spool.folder,
        )
    if not unreadable and not damaged and not mode & stat.S_IWOTH:
        yield _SPOOL.fine_n(
            "The event folder %(folder)s: %(num)s event waiting.",
            "The event folder %(folder)s: %(num)s events waiting.",
            waiting,
            folder=spool.folder,
        )


def _inbox(settings: Settings) -> Iterator[Finding]:
    try:
        file, inbox = open_inbox(settings)
    except FingerprintError as error:
        yield _INBOX.failed(error)
        return
    with closing(file):
        damage = file.damage()
        counts = {} if damage else inbox.counts()
    if damage:
        yield _INBOX.amiss(
            "The file %(path)s is damaged (%(damage)s). Move it away: the next sync finds what "
            "was waiting, and 'apply' finds out what was written.",
            path=file.path,
            damage=damage,
        )
        return
    yield _INBOX.fine_n(
        "%(num)s document is waiting in the inbox.",
        "%(num)s documents are waiting in the inbox.",
        counts["waiting"],
    )
    if counts["failed"]:
        yield _INBOX.amiss_n(
            "%(num)s document failed and is not retried: 'paperless-fingerprint inbox' says "
            "why, 'inbox retry' tries again.",
            "%(num)s documents failed and are not retried: 'paperless-fingerprint inbox' says "
            "why, 'inbox retry' tries again.",
            counts["failed"],
        )


def _service(settings: Settings) -> Iterator[Finding]:
    if not settings.service.public_url and settings.paperless.url:
        yield _SERVICE.fine(
            "[service] public_url is not set: documents in Paperless get no link to the page "
            "that compares them. It is the address of the page as browsers reach it."
        )
    if settings.service.url and not settings.service.secret:
        yield _SERVICE.amiss(
            "An address of the service is set, but no secret: everyone who reaches it may "
            "announce documents. Set PAPERLESS_FINGERPRINT_SERVICE_SECRET on both sides."
        )
    if settings.service.url:
        yield _called(settings.service.url, settings.service.secret or "")


def _called(url: str, secret: str) -> Finding:
    """As the hook calls the service, but without naming a document."""
    import httpx

    address = f"{url.rstrip('/')}/api/consume"
    headers = {b"Authorization": f"Bearer {secret}".encode()} if secret else {}
    try:
        answer = httpx.post(
            address, headers=headers, json={}, timeout=_SERVICE_SECONDS, trust_env=False
        )
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        return _SERVICE.amiss(
            "Nothing answers at %(address)s (%(why)s). Is `serve` running, and is [service] url "
            "its address as Paperless reaches it? Until then events wait in the event folder.",
            address=url,
            why=str(error) or type(error).__name__,
        )
    if answer.status_code == HTTPStatus.BAD_REQUEST:  # it asks for a document
        return _SERVICE.fine("The service at %(address)s accepts what the hook sends.", address=url)
    if answer.status_code == HTTPStatus.UNAUTHORIZED:
        return _SERVICE.amiss(
            "The service at %(address)s does not accept the secret. "
            "PAPERLESS_FINGERPRINT_SERVICE_SECRET must be the same here, for `serve` and for the "
            "hook.",
            address=url,
        )
    return _SERVICE.amiss(
        "%(address)s answers with HTTP %(status)s. Is that the address of `serve`?",
        address=url,
        status=answer.status_code,
    )
