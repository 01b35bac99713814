"""What `doctor` looks at on Paperless's side: address, version, clock, each permission, hook, spool,
inbox. Each finding says what is so and, where it is amiss, what to do."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

from paperless_fingerprint.checkup import notify
from paperless_fingerprint.checkup.finding import Finding
from paperless_fingerprint.errors import ExitCode, FingerprintError, PaperlessError
from paperless_fingerprint.integration.context import open_inbox, open_spool
from paperless_fingerprint.integration.feedback import dead_links
from paperless_fingerprint.integration.feedback.labels import LINKS
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
    "view_document": "nothing can be found",
    "change_document": "no tags and links can be set",
    "view_tag": "tags of ours are not found again",
    "add_tag": "tags of ours cannot be made",
    "change_tag": "a tag of ours is not renamed with the setting",
    "view_customfield": "no links, no confidence and no address to compare are written",
    "add_customfield": "the fields for links, confidence and the address to compare cannot be made",
    "view_savedview": "the saved view is not found again",
    "add_savedview": "the saved view cannot be made",
    "view_correspondent": "correspondents have numbers instead of names",
    "view_documenttype": "document types have numbers instead of names",
    "view_uisettings": "`doctor` cannot say which permissions there are",
}
_WITH_NOTES = {
    "view_note": "notes are not found again",
    "add_note": "no notes are written",
    "delete_note": "notes are not taken back",
}
_WITH_TRASH = {
    "delete_document": "nothing can be moved to the trash, or taken out of it",
}
_FOR_REMOVAL = {
    "delete_tag": "`apply --remove-all` leaves the tags themselves behind",
    "delete_customfield": "`apply --remove-all` leaves the fields themselves behind",
    "delete_savedview": "`apply --remove-all` leaves the saved view behind",
}
#: Without these there is no point in going on.
_NEEDED = frozenset({"view_document"})


def examine(settings: Settings) -> tuple[list[Finding], ExitCode]:
    """Paperless only where an address is set: a library may as well come from a file."""
    findings: list[Finding] = []
    worst = ExitCode.DONE
    if settings.paperless.url:
        try:
            with open_paperless(settings) as paperless:
                findings += _paperless(paperless, settings)
        except FingerprintError as error:
            findings.append(Finding("paperless", False, str(error)))
            worst = ExitCode(error.exit_code)
    else:
        findings.append(
            Finding(
                "paperless",
                True,
                "No address is set (PAPERLESS_FINGERPRINT_PAPERLESS_URL): documents come by "
                "'import' alone.",
                checked=False,
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
    name = version.paperless or "of an unknown version"
    yield Finding(
        "paperless", True, f"Paperless-ngx {name} at {paperless.url} (API {version.api})."
    )
    ahead = version.clock_ahead_seconds
    if ahead is not None and abs(ahead) > _CLOCK_SECONDS:
        yield Finding(
            "clock",
            False,
            f"Paperless's clock is {abs(ahead):.0f} seconds {'ahead of' if ahead > 0 else 'behind'} "
            "this machine's. Set both by NTP: dates of changes are compared.",
        )
    elif ahead is not None:
        yield Finding("clock", True, "The clocks agree.")
    yield from _links(paperless, settings)
    person = paperless.person()
    if person.permissions is None:
        yield Finding(
            "token",
            False,
            "The token's user lacks the permission view_uisettings ('UI Settings: view' in "
            "Paperless under 'Users & Groups'), so that its other permissions cannot be named.",
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
        yield Finding(
            "links",
            False,
            f"{holders:,} document{'s' if holders > 1 else ''} in Paperless still have a link to "
            "one that was deleted, and Paperless refuses to save their custom fields. "
            "'paperless-fingerprint sync' takes such links off.",
        )
    elif fields:
        yield Finding("links", True, "No link of ours leads to a document that was deleted.")


def _documents(paperless: PaperlessClient, person: TokenUser) -> Finding:
    """A token without rights to a document is told of none: what it misses cannot be counted."""
    try:
        count = paperless.count()
    except DeniedError as error:
        return Finding("documents", False, str(error))
    seen = f"{count:,} document{'' if count == 1 else 's'}" if count else "no document"
    if person.is_superuser:
        return Finding("documents", True, f"The token sees {seen}: all that there are.")
    return Finding(
        "documents",
        count > 0,
        f"The token sees {seen}. Those that belong to others and are not shared with "
        f"'{person.username}' are invisible to it, and whatever somebody uploads on Paperless's "
        "page belongs to that person. Where more should be seen, use an administrator's token, or "
        "share them.",
    )


def _by_trying(paperless: PaperlessClient) -> Iterator[Finding]:
    for what, act in (
        ("view_document", paperless.document_ids),
        ("view_tag", paperless.tags),
        ("view_customfield", paperless.custom_fields),
    ):
        try:
            act()
        except PaperlessError as error:
            yield Finding("token", False, f"{what} is missing: {error}")


def _permissions(person: TokenUser, settings: Settings) -> Iterator[Finding]:
    wanted = dict(PERMISSIONS)
    if settings.paperless.notes:
        wanted |= _WITH_NOTES
    if settings.exact.policy == "replace":
        wanted |= _WITH_TRASH
    missing = [name for name in wanted if person.may(name) is False]
    for name in missing:
        yield Finding(
            "token",
            False,
            f"The user '{person.username}' lacks {name}: {wanted[name]}. Give it in Paperless under "
            "'Users & Groups'.",
        )
    optional = [name for name in _FOR_REMOVAL if person.may(name) is False]
    if not missing:
        tail = (
            f" (without {', '.join(optional)}: only --remove-all asks for that)" if optional else ""
        )
        kind = "an administrator" if person.is_superuser else "no administrator"
        yield Finding(
            "token", True, f"The user '{person.username}', {kind}, may do all that is needed{tail}."
        )


def _hook() -> Iterator[Finding]:
    """Only where we stand beside Paperless, or share its environment, can it be looked at."""
    told = os.environ.get(HOOK_VARIABLE, "").strip()
    if not told:
        yield Finding(
            "hook",
            True,
            f"{HOOK_VARIABLE} is not set here. In Paperless's own environment it must name the "
            "file hooks/post_consume.py.",
            checked=False,
        )
        return
    yield from check_hook(Path(told))


def check_hook(path: Path) -> Iterator[Finding]:
    def amiss(message: str) -> Finding:
        return Finding("hook", False, message)

    try:
        mode, content = path.stat().st_mode, path.read_bytes()
    except OSError as error:
        yield amiss(
            f"The hook {path} cannot be read ({error.strerror}). {HOOK_VARIABLE} must be one path, "
            "without arguments, as Paperless sees it."
        )
        return
    found = []
    if not mode & stat.S_IXOTH:
        found.append(f"The hook {path} may not be executed by everybody: chmod 755 {path}")
    if b"\r\n" in content:
        found.append(
            f"The hook {path} has the line endings of Windows, with which Linux does not find its "
            "interpreter. Copy it again without changing it."
        )
    if not content.startswith(b"#!"):
        found.append(f"The hook {path} does not begin with '#!/usr/bin/env python3'.")
    elif b"paperless-fingerprint" not in content:
        found.append(f"The hook {path} is another program; if it calls ours, all is well.")
    if mode & stat.S_IWOTH:
        found.append(f"Everybody may write to the hook {path}: chmod 755 {path}")
    for message in found:
        yield amiss(message)
    if not found:
        yield Finding("hook", True, f"The hook {path} is in order.")


def _spool(settings: Settings) -> Iterator[Finding]:
    spool = open_spool(settings)
    if not spool.folder.is_dir():
        yield Finding(
            "spool",
            True,
            f"The spool {spool.folder} does not exist yet; the first event makes it. "
            "PAPERLESS_FINGERPRINT_SPOOL must name the same folder here and for the hook.",
            checked=False,
        )
        return
    try:
        waiting = sum(1 for _ in spool.events())
    except FingerprintError as error:
        yield Finding("spool", False, str(error))
        return
    if not os.access(spool.folder, os.W_OK | os.X_OK):
        yield Finding(
            "spool",
            False,
            f"This user may not remove events from the spool {spool.folder}: give it write "
            "permission on that folder.",
        )
    mode = spool.folder.stat().st_mode
    if mode & stat.S_IWOTH:
        yield Finding(
            "spool",
            False,
            f"Everybody on this machine may plant and delete events in the spool {spool.folder}. "
            f"Give it a group that the users of the hook and of the worker belong to, and "
            f"chmod 2770 {spool.folder}",
        )
    unreadable = len(spool.unreadable())
    if unreadable:
        yield Finding(
            "spool",
            False,
            f"{unreadable} events in {spool.folder} may not be read by this user, or are no files: "
            "give it read permission on those files, and delete what is none.",
        )
    damaged = len(spool.damaged())
    if damaged:
        yield Finding(
            "spool",
            False,
            f"{damaged} files that are no events lie in {spool.folder}/damaged. A sync finds the "
            "documents all the same; then delete them.",
        )
    if not unreadable and not damaged and not mode & stat.S_IWOTH:
        yield Finding("spool", True, f"The spool {spool.folder}: {waiting} events wait.")


def _inbox(settings: Settings) -> Iterator[Finding]:
    try:
        file, inbox = open_inbox(settings)
    except FingerprintError as error:
        yield Finding("inbox", False, str(error))
        return
    try:
        damage = file.damage()
        counts = {} if damage else inbox.counts()
    finally:
        file.close()
    if damage:
        yield Finding(
            "inbox",
            False,
            f"The file {file.path} is damaged ({damage}). Move it away: what waits is found again by "
            "the next sync, and 'apply' finds out what was written.",
        )
        return
    yield Finding("inbox", True, f"{counts['waiting']} documents wait in the inbox.")
    if counts["failed"]:
        yield Finding(
            "inbox",
            False,
            f"{counts['failed']} documents failed for good: 'paperless-fingerprint inbox' says why, "
            "'inbox retry' tries again.",
        )


def _service(settings: Settings) -> Iterator[Finding]:
    if not settings.service.public_url and settings.paperless.url:
        yield Finding(
            "service",
            True,
            "[service] public_url is not set: documents in Paperless get no link to the page that "
            "compares them. It is the address of the page as browsers reach it.",
        )
    if settings.service.url and not settings.service.secret:
        yield Finding(
            "service",
            False,
            "An address of the service is set, and no secret: whoever reaches it may announce "
            "documents. Set PAPERLESS_FINGERPRINT_SERVICE_SECRET on both sides.",
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
        return Finding(
            "service",
            False,
            f"Nothing answers at {url} ({error or type(error).__name__}). Does `serve` run, and is "
            "[service] url its address as Paperless reaches it? Until then events wait in the spool.",
        )
    if answer.status_code == HTTPStatus.BAD_REQUEST:  # it asks for a document
        return Finding("service", True, f"The service at {url} takes what the hook sends.")
    if answer.status_code == HTTPStatus.UNAUTHORIZED:
        why = "does not accept the secret. PAPERLESS_FINGERPRINT_SERVICE_SECRET must be the same here, "
        why += "for `serve` and for the hook."
    else:
        why = f"answers with HTTP {answer.status_code}. Is that the address of `serve`?"
    return Finding("service", False, f"What listens at {url} {why}")
