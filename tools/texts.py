"""`make texts`: takes the texts out of the sources, and brings the translations up to them.

What is new stands in src/paperless_fingerprint/languages/*.po with an empty `msgstr`, to be
translated; what no source says any more is gone. `make check`'s tests fail while one is empty.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po

from paperless_fingerprint.languages import ENGLISH, LANGUAGES

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "src" / "paperless_fingerprint"
_METHODS = [("**/templates/**.html", "jinja2.ext:babel_extract"), ("**.py", "python")]
_KEYWORDS = {
    **DEFAULT_KEYWORDS, "mark": None, "mark_n": (1, 2),
    # What translates by itself: findings of checkup/finding.py, and errors that say so.
    "fine": None, "amiss": None, "not_seen": None, "fine_n": (1, 2), "amiss_n": (1, 2),
    "CannotChangeError": None, "IdError": None, "_error": (2,),
}  # fmt: skip
#: They would change with every run, or say nothing here.
_LEFT_OUT = ("POT-Creation-Date", "PO-Revision-Date", "Last-Translator", "Language-Team",
             "Report-Msgid-Bugs-To", "Project-Id-Version", "Generated-By")  # fmt: skip


def catalogue_file(language: str) -> Path:
    return SOURCES / "languages" / f"{language}.po"


def found_in_sources() -> Iterator[tuple[str, int, str | tuple[str, ...], list[str], str | None]]:
    return extract_from_dir(
        str(SOURCES), method_map=_METHODS, keywords=_KEYWORDS,
        options_map={"**/templates/**.html": {"extensions": "jinja2.ext.i18n", "silent": "false"}},
    )  # fmt: skip


def extracted() -> Catalog:
    """Every text that the sources mark, with the files that it stands in."""
    found = Catalog(fuzzy=False)
    for file, _, text, comments, context in found_in_sources():
        found.add(text, None, [(file, 0)], auto_comments=comments, context=context)
    return found


def brought_up(language: str, template: Catalog) -> Catalog:
    with catalogue_file(language).open("rb") as file:
        catalogue = read_po(file, locale=language)
    catalogue.update(template, no_fuzzy_matching=True, update_header_comment=False)
    return catalogue


def as_text(catalogue: Catalog) -> str:
    out = BytesIO()
    write_po(
        out, catalogue, width=100, ignore_obsolete=True, sort_by_file=True, include_lineno=False,
        omit_header=False,
    )  # fmt: skip
    lines = out.getvalue().decode().splitlines(keepends=True)
    start = lines.index('msgid ""\n')
    kept = [
        line for line in lines[start:] if not line.startswith(tuple(f'"{n}:' for n in _LEFT_OUT))
    ]
    return "".join(kept)


def main() -> None:
    template = extracted()
    for language in LANGUAGES:
        if language == ENGLISH:
            continue
        catalogue = brought_up(language, template)
        catalogue_file(language).write_text(as_text(catalogue), "utf-8")
        missing = [each for each in catalogue if each.id and not _is_done(each.string)]
        sys.stdout.write(f"{language}: {len(catalogue)} texts, {len(missing)} to translate\n")


def _is_done(string: str | tuple[str, ...] | list[str] | None) -> bool:
    return string is not None and all(string) and string != ""


if __name__ == "__main__":
    main()
