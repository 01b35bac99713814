"""The texts that are chosen by a name: of a relation, a state, a field, a key.

All others stand where they are shown, in the templates as `{{ _("…") }}`. What is counted has two
forms.
"""

from __future__ import annotations

from collections.abc import Mapping

from paperless_fingerprint.languages import gettext, mark, mark_n, ngettext

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "nav.groups": mark("Duplicates"),
    "nav.search": mark("Search"),
    "nav.library": mark("Library"),
    "nav.work": mark("Activity"),
    "theme.system": mark("System"),
    "theme.light": mark("Light"),
    "theme.dark": mark("Dark"),
    "relation.exact": mark("Identical"),
    "relation.near": mark("Re-scan or copy"),
    "relation.version": mark("Versions"),
    "relation.contains": mark("Part of another"),
    "relation.semantic": mark("Same meaning"),
    "relation.template": mark("Same form, different details"),
    "relation.related": mark("Related"),
    "relation.pair": mark("Two documents"),
    "relation.group": mark("Duplicates"),
    "relation.versions": mark("Versions"),
    "state.open": mark("To review"),
    "state.done": mark("Confirmed"),
    "state.dismissed": mark("Not duplicates"),
    "word.confirmed": mark("confirmed"),
    "word.dismissed": mark("not duplicates"),
    "word.primary": mark("to keep"),
    "word.trash": mark("to the trash"),
    "primary.group": mark("Keep"),
    "primary.versions": mark("Latest version"),
    "primary.contains": mark("Contains the other"),
    "primary.semantic": mark("First of the two"),
    "primary.pair": mark("Keep"),
    "groups.none.open": mark("Nothing to review"),
    "groups.none.done": mark("Nothing has been confirmed yet"),
    "groups.none.dismissed": mark("Nothing has been marked as not duplicates yet"),
    "groups.none.filtered": mark("No entries match these filters"),
    "preview.says.same": mark_n(
        "You are about to confirm %(num)s entry.", "You are about to confirm %(num)s entries."
    ),
    "preview.says.different": mark_n(
        "You are about to mark %(num)s entry as not duplicates.",
        "You are about to mark %(num)s entries as not duplicates.",
    ),
    "item.size.group": mark_n("%(num)s duplicate", "%(num)s duplicates"),
    "item.size.versions": mark_n("%(num)s version", "%(num)s versions"),
    "item.size.contains": mark_n("A part and its whole", "A part and its whole"),
    "item.size.semantic": mark_n("Two with the same meaning", "Two with the same meaning"),
    "item.size.pair": mark_n("Two documents", "Two documents"),
    "item.state.done": mark("Confirmed."),
    "item.state.dismissed": mark("Marked as not duplicates."),
    "item.state.open": mark("Not yet reviewed."),
    "act.same.group": mark("Same"),
    "act.same.versions": mark("Yes, versions"),
    "act.same.contains": mark("Yes, a part"),
    "act.same.semantic": mark("Yes, same meaning"),
    "act.same.pair": mark("Same"),
    "about.amount": mark("amount"),
    "about.date": mark("date"),
    "about.name": mark("name"),
    "about.number": mark("number"),
    "about.word": mark("wording"),
    "about.added": mark("passage on one side"),
    "about.moved": mark("moved"),
    "dimension.confidence": mark("Match"),
    "dimension.score": mark("Score"),
    "dimension.jaccard": mark("Shared text (Jaccard)"),
    "dimension.containment_ab": mark("Share of %(a)s found in %(b)s"),
    "dimension.containment_ba": mark("Share of %(b)s found in %(a)s"),
    "dimension.fuzzy": mark("Spelling"),
    "dimension.metadata": mark("Metadata"),
    "dimension.title": mark("Title"),
    "dimension.facts": mark("Facts"),
    "dimension.semantic": mark("Meaning"),
    "keys.s": mark("Confirm"),
    "keys.d": mark("Different; in a larger group: the document shown does not belong"),
    "keys.x": mark("None of the documents in this group are duplicates"),
    "keys.1": mark("Keep the left document"),
    "keys.2": mark("Keep the right document"),
    "keys.r": mark("Keep one, trash the rest"),
    "keys.m": mark("Next document in this group"),
    "keys.n": mark("Next entry (also →)"),
    "keys.p": mark("Previous entry (also ←)"),
    "keys.l": mark("Back to the list"),
    "keys.u": mark("Undo your last decision"),
    "keys.v": mark("Compare pages"),
    "keys.t": mark("Texts in one column, or side by side"),
    "keys./": mark("Search"),
    "keys.?": mark("Show this list"),
    "said.same": mark("same"),
    "said.different": mark("different"),
    "said.primary": mark("keep this one"),
    "said.resolve": mark("kept one, moved the rest to the trash"),
    "said.undo": mark("undone"),
    "done.same": mark("Confirmed: %(ids)s are the same."),
    "done.different": mark("Not duplicates: %(ids)s are different."),
    "done.primary": mark("Keep: %(ids)s."),
    "done.resolve": mark("Kept, and the rest moved to the trash: %(ids)s."),
    "done.many.resolve": mark_n(
        "%(num)s group resolved: %(ids)s.", "%(num)s groups resolved: %(ids)s."
    ),
    "changes.same": mark("If you confirm"),
    "changes.different": mark("If you say they are different"),
    "rule.primary": mark("the one marked “Keep”"),
    "rule.oldest": mark("the oldest"),
    "rule.newest": mark("the newest"),
    "rule.serial": mark("the one with an archive serial number"),
    "rule.pages": mark("the one with the most pages"),
    "rule.text": mark("the one with the best text"),
    "rule.largest": mark("the largest file"),
    "rule.path": mark("the one in the storage path below"),
    "held.title": mark("Title"),
    "held.correspondent": mark("Correspondent"),
    "held.document_type": mark("Document type"),
    "held.storage_path": mark("Storage path"),
    "held.created": mark("Date"),
    "held.archive_serial_number": mark("Archive serial number"),
    "held.owner": mark("Owner"),
    "held.tags": mark("Tags"),
    "held.notes": mark("Notes"),
    "held.file": mark("File"),
    "done.undo": mark("Undone: the decision about %(ids)s."),
    "done.many.same": mark_n(
        "%(num)s entry confirmed: %(ids)s.", "%(num)s entries confirmed: %(ids)s."
    ),
    "done.many.different": mark_n(
        "%(num)s entry marked as not duplicates: %(ids)s.",
        "%(num)s entries marked as not duplicates: %(ids)s.",
    ),
    "done.many.undo": mark_n(
        "Undone: the decision about %(num)s entry: %(ids)s.",
        "Undone: the decisions about %(num)s entries: %(ids)s.",
    ),
    "done.thresholds.saved": mark("Saved. Pairs and groups are updated in the background."),
    "done.thresholds.back": mark(
        "The previous thresholds are back. Pairs and groups are updated in the background."
    ),
    "decisions.waiting": mark("waiting"),
    "decisions.done": mark("done"),
    "decisions.undone": mark("undone"),
    "decisions.refused": mark("could not be carried out"),
    "order.sure": mark("Best match first"),
    "order.unsure": mark("Weakest match first"),
    "order.newest": mark("Newest first"),
    "order.oldest": mark("Oldest first"),
    "order.size": mark("Most documents first"),
    "order.space": mark("Most space to free first"),
    "order.title": mark("By title"),
    "view.rows": mark("Rows"),
    "view.cards": mark("Cards"),
    "list.keys.j": mark("Next entry"),
    "list.keys.k": mark("Previous entry"),
    "list.keys.x": mark("Select the entry"),
    "list.keys.a": mark("Select all entries on this page"),
    "list.keys.Enter": mark("Open the entry"),
    "list.keys.n": mark("Next page"),
    "list.keys.p": mark("Previous page"),
    "sort.best": mark("Best match"),
    "sort.containment": mark("Most of the source"),
    "sort.jaccard": mark("Most shared text"),
    "sort.within": mark("Most of the result shared"),
    "sort.created": mark("Newest"),
    "sort.added": mark("Recently added"),
    "sort.pages": mark("Most pages"),
    "sort.id": mark("ID"),
    "help.words": mark("documents with both words"),
    "help.or": mark("brackets, AND, OR, and a minus for words to exclude"),
    "help.field": mark(
        "words in the title, created in these years. Also content, correspondent, type, tag, added, pages, asn, owner"
    ),
    "help.phrase": mark("these words next to each other; a tag with this word"),
    "help.pattern": mark("any letters in place of the star"),
    "help.fingerprint": mark("documents that share any text with document 12"),
    "help.fingerprint_share": mark(
        "documents that contain at least 20 %% of the text of document 12"
    ),
    "help.fingerprint_fast": mark(
        "the same, but faster: a document with exactly 20 %% is found with a chance of 80 %%"
    ),
    "help.similar": mark("documents where 60 %% of both texts together is shared"),
    "help.within": mark("documents with 90 %% of their text found in document 12"),
    "curve.near": mark("copy"),
    "curve.version": mark("version"),
    "thresholds.similarity": mark("Lowest match shown"),
    "thresholds.near": mark("Copy, by text alone"),
    "thresholds.version": mark("Version, by text alone"),
    "work.status.ok": mark("Everything is working."),
    "work.status.failures": mark(
        "Everything is working, but some documents could not be processed."
    ),
    "work.status.waiting": mark("Something cannot be reached; the service keeps trying."),
    "work.status.down": mark("The background service is not running."),
    "work.doing.fetch documents": mark("Fetching documents from Paperless"),
    "work.doing.analyse": mark("Comparing what has changed"),
    "work.doing.find candidates": mark("Finding documents to compare"),
    "work.doing.learn the words": mark("Counting how common words are"),
    "work.doing.compare": mark("Comparing pairs"),
    "work.doing.groups": mark("Building groups"),
    "work.doing.inbox": mark("Processing new documents"),
    "work.doing.read the library": mark("Reading the library"),
    "work.doing.embed": mark("Reading the meaning of documents"),
    "work.doing.compare meanings": mark("Comparing meanings"),
    "work.state.waiting": mark("will be retried"),
    "work.state.failed": mark("stopped retrying"),
    "labels.asked_for": mark(
        "Tags and links are written for new documents, for the documents they match, and for what you confirm. Nothing is written for the others."
    ),
    "labels.written": mark("Tags and links are written for everything found, and kept up to date."),
    "labels.taken_back": mark("All tags and links have been removed, and none are written."),
    "labels.kind.tag:exact": mark("the tag for exact copies"),
    "labels.kind.tag:near": mark("the tag for re-scans and copies"),
    "labels.kind.tag:primary": mark("the tag for documents to keep"),
    "labels.kind.tag:version": mark("the tag for older versions"),
    "labels.kind.tag:contains": mark("the tag for parts"),
    "labels.kind.tag:semantic": mark("the tag for documents with the same meaning"),
    "labels.kind.tag:parent": mark("the parent tag of these tags"),
    "labels.kind.link:duplicate": mark("links to duplicates"),
    "labels.kind.link:version": mark("links to newer versions"),
    "labels.kind.link:contains": mark("links to the document that contains a part"),
    "labels.kind.confidence": mark("match percentages"),
    "labels.kind.compare": mark("links to the comparison"),
    "labels.kind.note": mark("notes"),
    "check.settings": mark("Settings"),
    "check.store": mark("Library"),
    "check.settled": mark("Order of arrival"),
    "check.analysis": mark("Comparison"),
    "check.files": mark("File permissions"),
    "check.semantic": mark("Meaning"),
    "check.paperless": mark("Paperless"),
    "check.clock": mark("Clock"),
    "check.links": mark("Links"),
    "check.token": mark("Permissions of the token"),
    "check.documents": mark("Documents"),
    "check.hook": mark("Hook"),
    "check.spool": mark("Event folder"),
    "check.inbox": mark("Inbox"),
    "check.service": mark("Service"),
    "check.notify": mark("Notifications"),
    "problem.400": mark("The request was not understood"),
    "problem.400.text": mark("Nothing was changed."),
    "problem.401": mark("You are not signed in"),
    "problem.403": mark("Not allowed"),
    "problem.403.text": mark(
        "Your account is not allowed to do this, or the page was open for too long. Nothing was changed."
    ),
    "problem.404": mark("Page not found"),
    "problem.404.text": mark("It does not exist, or you are not allowed to see it in Paperless."),
    "problem.409": mark("Someone else has already decided this"),
    "problem.409.text": mark("Nothing was changed."),
    "problem.410": mark("The document no longer exists"),
    "problem.410.text": mark("It was deleted in Paperless while you were looking at it."),
    "problem.413": mark("Too much data at once"),
    "problem.413.text": mark("Nothing was changed."),
    "problem.429": mark("Too many attempts"),
    "problem.429.text": mark("Wait a minute, then try again."),
    "problem.500": mark("Something went wrong"),
    "problem.500.text": mark("The details are in the log of the service. Nothing was lost."),
    "problem.503": mark("Something cannot be reached"),
    "problem.503.text": mark(
        "Paperless or the library cannot be reached. Nothing is lost; try again in a moment."
    ),
}


class Messages:
    """`t("state.open")`, in the language of whoever asks."""

    def __call__(self, key: str, **values: object) -> str:
        text = TEXTS[key]
        assert isinstance(text, str), key
        return gettext(text, **values)

    def n(self, key: str, count: int, **values: object) -> str:
        forms = TEXTS[key]
        assert isinstance(forms, tuple), key
        return ngettext(*forms, count, **values)

    def has(self, key: str) -> bool:
        return key in TEXTS

    def get(self, key: str) -> str:
        return self(key) if key in TEXTS else ""
