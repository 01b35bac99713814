"""Plain pages for a browser, where links of the demo lead: the real Paperless has an app there.

The stand-in knows no sign-in of browsers, so they are shown to this machine alone.
"""

from __future__ import annotations

import re
from html import escape

from paperless_fingerprint.demo.stand_in.answers import Answer
from paperless_fingerprint.demo.stand_in.library import Library, Row
from paperless_fingerprint.demo.stand_in.pictures import thumbnail

_DOCUMENT = re.compile(r"/documents/(\d{1,10})(?:/(details|file|thumb))?/?")
_LISTS = ("/", "/documents", "/dashboard", "/trash", "/accounts/login")
_LOOK = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
iframe { width: 100%; height: 80vh; border: 1px solid; background: #fff; }
pre { white-space: pre-wrap; }
dt { font-weight: 600; float: left; clear: left; width: 10rem; }
dd { margin-left: 11rem; }
"""


def page_at(library: Library, path: str) -> Answer | None:
    """None where a browser would be sent to the sign-in."""
    found = _DOCUMENT.fullmatch(path)
    if found is not None:
        number, what = int(found[1]), found[2] or "details"
        row = library.documents.get(number)
        if row is None:
            where = "is in the trash" if number in library.trash else "does not exist"
            return _page(f"Document {number}", f"<p>It {where}.</p>", 404)
        if what == "details":
            return _page(row.title or f"Document {number}", _details(library, row))
        row = library.current(row)
        if what == "thumb":
            picture = thumbnail(row.content, row.page_count)
            return Answer(data=picture, content_type="image/png", versioned=False)
        data, kind = row.shown_file()
        return Answer(data=data, content_type=kind, versioned=False)
    if path.rstrip("/") in {each.rstrip("/") for each in _LISTS} or path.startswith("/view/"):
        return _page("Documents", _lists(library))
    return None


def _page(title: str, content: str, status: int = 200) -> Answer:
    text = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f'</title><meta name="viewport" content="width=device-width"><style>{_LOOK}</style></head>'
        '<body><p>A stand-in Paperless, for the demo. <a href="/documents">Documents</a></p><main>'
        f"<h1><bdi>{escape(title)}</bdi></h1>{content}</main></body></html>\n"
    )
    return Answer(status, text=text, versioned=False)


def _details(library: Library, row: Row) -> str:
    def name(kind: str, number: int | None) -> str:
        return library.labels[kind][number].name if number in library.labels[kind] else "–"

    fields = {
        library.fields[number].name: value
        for number, value in row.custom_fields.items()
        if number in library.fields
    }
    told = {
        "Number": row.id,
        "Correspondent": name("correspondents", row.correspondent),
        "Document type": name("document_types", row.document_type),
        "Created": row.created,
        "Added": row.added[:10],
        "Archive number": row.archive_serial_number,
        "Tags": ", ".join(name("tags", tag) for tag in row.tags),
        "File": row.original_file_name,
        "Pages": row.page_count,
        **fields,
        **{f"Note {n}": note["note"] for n, note in enumerate(row.notes, 1)},
    }
    facts = "".join(
        f"<dt>{escape(label)}</dt><dd><bdi>{escape(_said(value))}</bdi></dd>"
        for label, value in told.items()
    )
    content = escape(library.current(row).content)
    return (
        f'<dl>{facts}</dl><iframe src="/documents/{row.id}/file" title="Pages"></iframe>'
        f"<h2>Text</h2><pre>{content}</pre>"
    )


def _said(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value in (None, "") else str(value)


def _lists(library: Library) -> str:
    shown = "".join(
        f'<li><a href="/documents/{row.id}/details"><bdi>{escape(row.title)}</bdi></a> ({row.id})'
        for row in sorted(library.documents.values(), key=lambda row: row.id)[:1000]
    )
    trash = "".join(
        f"<li><bdi>{escape(row.title)}</bdi> ({row.id})" for row in library.trash.values()
    )
    return f"<ul>{shown}</ul><h2>Trash</h2><ul>{trash or '<li>empty'}</ul>"
