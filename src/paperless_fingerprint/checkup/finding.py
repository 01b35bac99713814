"""What `doctor` says of each thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass

from paperless_fingerprint.languages import gettext, ngettext


@dataclass(frozen=True, slots=True)
class Finding:
    part: str
    ok: bool
    message: str
    #: False: it could not be looked at from here, or there is nothing to look at; nothing speaks
    #: against it, and nothing for it.
    checked: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """What the findings are about. Their texts are marked by standing here: see tools/texts.py."""

    name: str

    def fine(self, text: str, /, **values: object) -> Finding:
        return Finding(self.name, True, gettext(text, **values))

    def fine_n(self, one: str, other: str, count: int, /, **values: object) -> Finding:
        return Finding(self.name, True, ngettext(one, other, count, **values))

    def amiss(self, text: str, /, **values: object) -> Finding:
        return Finding(self.name, False, gettext(text, **values))

    def amiss_n(self, one: str, other: str, count: int, /, **values: object) -> Finding:
        return Finding(self.name, False, ngettext(one, other, count, **values))

    def failed(self, error: Exception) -> Finding:
        return Finding(self.name, False, str(error))

    def not_seen(self, text: str, /, **values: object) -> Finding:
        return Finding(self.name, True, gettext(text, **values), checked=False)
