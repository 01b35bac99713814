"""Why two documents are what they are to each other, and why something that was decided could not be
carried out: codes with values, and their sentences.

What is stored and told to programs are the code and the values. The sentence is made when somebody
reads it, in that person's language; a code of another version than this, and what was stored as a
sentence before there were codes, is shown as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from paperless_fingerprint.languages import (
    decimal,
    gettext,
    language_name,
    listed,
    mark,
    percent,
    whole,
)

Value: TypeAlias = str | int | float | Sequence[str]
#: The code of a reason that is a sentence already.
SENTENCE = "sentence"

TEXTS: Mapping[str, str] = {
    "same_file": mark("the files are identical"),
    "same_text": mark("the texts are identical"),
    "too_short": mark("too little text to compare"),
    "repetitive": mark("the same words over and over"),
    "little_shared": mark("the texts have too little in common"),
    "parts_shared": mark("only some passages are the same"),
    "share": mark("%(share)s of the text matches"),
    "part": mark("%(share)s of the shorter text is in the longer one"),
    "same_fact": mark("same %(kind)s %(value)s"),
    "same_fact_and_total": mark("same %(kind)s %(value)s and total %(total)s"),
    "date_differs": mark("the date differs: %(a)s / %(b)s"),
    "name_differs": mark("a name differs: %(a)s / %(b)s"),
    "number_differs": mark("a number differs: %(a)s / %(b)s"),
    "amount_differs": mark("an amount differs: %(a)s / %(b)s"),
    "wording_differs": mark("the wording differs: %(a)s / %(b)s"),
    "something_differs": mark("something differs: %(a)s / %(b)s"),
    "stamp": mark("a stamp or a line was added: %(text)s"),
    "passage": mark("a passage of %(words)s words is only in one: %(text)s"),
    "reordered": mark("pages or paragraphs in another order"),
    "misread": mark("about %(share)s of the characters were misread"),
    "rival": mark(
        "document %(document)s resembles document %(other)s too, and can be a copy of only one of them"
    ),
    "rival_of_place": mark("document %(other)s is in the same place of document %(document)s"),
    "confirmed": mark("confirmed by %(by)s"),
    "confirmed_by_a_person": mark("confirmed by a person"),
    "translation": mark("a translation: %(one)s and %(other)s"),
    "reworded": mark("the same in other words, both in %(language)s"),
    "reworded_or_translated": mark("the same in other words or another language"),
    "same_kinds": mark("the same %(kinds)s"),
    "kinds_differ": mark("some %(kinds)s differ"),
    "no_facts": mark("no amounts or dates to compare"),
    "same_names": mark("the same names"),
    "same_meaning": mark("the meaning is the same (likeness %(likeness)s)"),
    "similar_meaning": mark("the meaning is very similar (likeness %(likeness)s)"),
    # Why something was not done: whole sentences.
    "not_in_library": mark("There is no document %(document)s in the library."),
    "in_no_group": mark(
        "Document %(document)s is in no group of duplicates, so it cannot be the one to keep."
    ),
    "gone": mark(
        "Document %(document)s is no longer in Paperless, or hidden from this program. Nothing was "
        "done."
    ),
    "said_different": mark(
        "%(by)s has said that %(a)s and %(b)s are not duplicates. Nothing was done."
    ),
    "changed_since": mark(
        "The documents have changed in Paperless since they were looked at. Nothing was done."
    ),
    "unsure_now": mark(
        "Documents %(document)s and %(copy)s are no longer surely identical. Nothing was done."
    ),
    "text_now": mark(
        "The text of document %(copy)s is no longer that of %(document)s. Nothing was done."
    ),
    "people_now": mark(
        "Documents %(document)s and %(copy)s are not for the same people. Nothing was done."
    ),
    "protected_now": mark("Document %(document)s is protected. Nothing was done."),
    "edited": mark(
        "Document %(document)s stays: it says “%(says)s” where document %(keeps)s says "
        "“%(kept)s”, and both can be read well."
    ),
    "unread": mark(
        "Document %(document)s stays: its text has changed since it was compared. A sync compares "
        "it anew."
    ),
    "may_not_trash": mark(
        "You may not delete document %(document)s in Paperless: it belongs to somebody else, or "
        "your account may delete none. Whoever owns it can do it."
    ),
    "may_not_change": mark(
        "You may not change document %(document)s in Paperless, so it cannot get anything."
    ),
    "may_not_give_away": mark("Only its owner can give document %(document)s to somebody else."),
    "not_carried_over": mark(
        "Document %(document)s cannot get what the others have, so nothing was moved to the trash."
    ),
    "unseen": mark("Document %(document)s can no longer be seen in Paperless."),
    "missing": mark("Document %(document)s does not exist, lies in the trash, or may not be seen."),
    "locked": mark(
        "Document %(document)s may be seen but not changed with this program's account."
    ),
    "not_in_trash": mark(
        "Document %(document)s no longer lies in the trash, or may not be restored with this "
        "program's account."
    ),
    "paperless_denied": mark("Paperless does not let this program do it: %(said)s"),
    "paperless_refused": mark("Paperless refused it: %(said)s"),
    # Why nothing works at the moment: whole sentences.
    "away": mark(
        "Paperless cannot be reached at %(address)s (%(why)s). Is it running, and is the address "
        "right?"
    ),
    "no_answer": mark("Paperless did not answer %(request)s within %(seconds)s seconds."),
    "broke": mark("The connection to Paperless broke during %(request)s (%(why)s)."),
    "half_an_answer": mark("Paperless's answer to %(request)s ended before it was complete."),
    "slow": mark("An answer of Paperless was not complete after %(seconds)s seconds."),
    "no_json": mark("Paperless answered %(request)s with %(said)s, where JSON was expected."),
    "failed": mark(
        "Paperless failed at %(request)s with HTTP %(status)s%(said)s Its own log says why."
    ),
    "asks_to_wait": mark(
        "Paperless asks to wait %(seconds)s seconds before %(request)s; try again then."
    ),
    "turned_away": mark(
        "Paperless turned %(request)s away %(times)s times because too much was asked of it; try "
        "again later."
    ),
    "not_paperless": mark(
        "What answers at %(address)s is not the API of Paperless: %(said)s. Check the address; it "
        "is the one that the browser shows, without /dashboard."
    ),
    "wrong_token": mark(
        "Paperless does not accept the token or password (%(said)s). Make a new token in Paperless "
        "under 'My profile' and set it as PAPERLESS_FINGERPRINT_PAPERLESS_TOKEN."
    ),
    "not_allowed": mark(
        "Paperless does not let this user do %(request)s%(said)s Give the token's user the "
        "permission in Paperless under '%(menu)s', or use another token."
    ),
    "certificate": mark(
        "The certificate of %(address)s is not trusted. If it is your own, name the file of your "
        "certificate authority in the setting for Paperless's CA."
    ),
    "leads_on": mark(
        "Paperless's address %(address)s leads on to %(to)s. Nothing was sent there, so that the "
        "token stays with you: set the address that is meant."
    ),
    "library_file": mark("The library %(path)s cannot be used: %(what)s."),
    "inbox_file": mark(
        "The inbox %(path)s cannot be used (%(what)s). Check that the disk has room and that this "
        "user may write to the file and its folder; events wait until then."
    ),
    "lock_file": mark(
        "The lock %(path)s cannot be used: %(said)s. This user must be able to write to that folder."
    ),
    "audit_log": mark(
        "The audit log %(path)s cannot be written (%(said)s), so nothing was moved to the trash. "
        "Make room, or let this user write to it."
    ),
    "library_in_elasticsearch": mark(
        "The library in Elasticsearch at %(address)s cannot be used: %(what)s."
    ),
    "works_elsewhere": mark(
        "%(place)s works on the library in Elasticsearch at %(address)s, and only one place may do so "
        "at a time: a machine and its data folder. Do it there, or end what runs there; where that "
        "machine is gone, its turn ends a minute after its last sign."
    ),
    # What the value `what` of those names.
    "taken_over": mark(
        "%(place)s has taken it over, since nothing was heard from %(here)s for a minute. What was "
        "under way here is done there"
    ),
    "lease_changes": mark("its lease keeps changing. Try again in a moment"),
    "nodes_stay_behind": mark("not all of its nodes follow. Try again in a moment"),
    "disk_full": mark(
        "the disk is full. Make room and run the command again; nothing was half written"
    ),
    "read_only": mark(
        "it is read-only for this user. Give the file and its folder write permission"
    ),
    "held": mark("another process has held it for %(seconds)s seconds. Wait for it, or stop it"),
    "damaged": mark(
        "the file is damaged, or no SQLite database. Restore it from a backup, or move it away and "
        "run 'import' or 'sync' again: everything but decisions can be made anew"
    ),
    "cannot_open": mark(
        "it cannot be opened. Check that the folder is there and that you may write to it"
    ),
    "disk_fails": mark(
        "SQLite says: %(said)s. Mostly the disk is full; if not, it or its cable may fail. Make "
        "room and run the command again; nothing was half written"
    ),
    "sqlite_says": mark("SQLite says: %(said)s"),
    "server_full": mark(
        "the disk of the server is full, so it takes no more writes. Free space there; what was "
        "acknowledged is safe"
    ),
    "cluster_read_only": mark("the whole cluster is read-only. Take the setting %(setting)s away"),
    "index_read_only": mark("its index is read-only. Take the setting %(setting)s away"),
    "index_closed": mark("its index is closed. Open it"),
    "no_master": mark("the cluster has no master. Bring the missing nodes up again"),
    "starting": mark("the cluster is still starting. Try again in a moment"),
    "blocked": mark("it is blocked (%(said)s)"),
    "no_elasticsearch": mark(
        "what answers there is no Elasticsearch, and no OpenSearch 2 or 3. Check the address in "
        "--store"
    ),
    "no_version": mark("it does not tell its version. Check the address in --store"),
    "untrusted": mark(
        "its certificate is not trusted. Name the certificate authority in [elasticsearch] "
        "ca_file, and check that the address is the certificate's (%(said)s)"
    ),
    "too_slow": mark(
        "it does not answer in time. Look whether it is overloaded, or raise [elasticsearch] "
        "timeout_seconds"
    ),
    "silent": mark("it does not answer (%(said)s). Start it, or check the address in --store"),
    "senseless": mark("its answer makes no sense (%(said)s)"),
    "wrong_name": mark(
        "it refuses our name. Check [elasticsearch] api_key, or username and password"
    ),
    "no_privilege": mark(
        "it does not let this user do that (%(said)s). Grant the cluster privilege 'monitor', and "
        "'all' on the indices of the prefix"
    ),
    "too_large": mark("a request is too large for it. Raise its http.max_content_length"),
    "overloaded": mark("it is overloaded (%(said)s). Try again later"),
    "index_gone": mark("an index is gone while it was in use (%(said)s). Open the library again"),
    "not_available": mark("it is not available (%(said)s). Try again in a moment"),
    "answered": mark("it answered %(status)s: %(said)s"),
    "indices_change": mark("its indices keep changing. Try again in a moment"),
    "writes_refused": mark(
        "%(count)s writes were refused, the first with: %(said)s. Run the command again"
    ),
    "unreadable": mark("a document cannot be read (%(said)s)"),
}
#: What the values `kind` and `kinds` name.
KINDS: Mapping[str, str] = {
    "total": mark("total"),
    "date": mark("date"),
    "IBAN": "IBAN",
    "contract number": mark("contract number"),
    "customer number": mark("customer number"),
    "invoice number": mark("invoice number"),
    "order number": mark("order number"),
    "reference": mark("reference"),
    "dates": mark("dates"),
    "amounts": mark("amounts"),
    "references": mark("references"),
    "numbers": mark("numbers"),
}


@dataclass(frozen=True, slots=True)
class Reason:
    code: str
    values: Mapping[str, Value] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, told: Any) -> Reason:
        """From what `as_json` gave, or from a sentence of an earlier version."""
        if isinstance(told, str):
            return cls(SENTENCE, {"text": told})
        return cls(told["code"], told["values"])

    @classmethod
    def of_error(cls, error: Exception) -> Reason:
        """An error that was raised with one, or with a sentence."""
        given = error.args[0] if error.args else None
        return given if isinstance(given, cls) else cls(SENTENCE, {"text": str(error)})

    def as_json(self) -> dict[str, Any]:
        return {"code": self.code, "values": dict(self.values)}

    def __str__(self) -> str:
        """The sentence, in the language of whoever reads it."""
        text = TEXTS.get(self.code)
        if text is None:
            return str(self.values.get("text", self.code))
        values = {name: _shown(name, value) for name, value in self.values.items()}
        within = TEXTS.get(values.get("what", ""))
        if within is not None:
            values["what"] = gettext(within, **values)
        return gettext(text, **values)


def _shown(name: str, value: Any) -> str:
    if name == "share":
        return percent(value)
    if name == "words":
        return whole(value)
    if name == "likeness":
        return decimal(value, 2)
    if name == "kind":
        return _kind(value)
    if name == "kinds":
        return listed([_kind(each) for each in value])
    if name == "by":
        return value or gettext("Someone")
    if name in {"one", "other", "language"} and isinstance(value, str):
        return language_name(value)
    return str(value)


def _kind(name: str) -> str:
    return gettext(KINDS[name]) if name in KINDS else name
