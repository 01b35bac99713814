"""What a relation means after consumption, where the settings ask for more than a tag.

`skip` writes nothing (integration/feedback/wanted.py), `version` makes versions of copies (library/judging.py), `replace` is
here: the document that has just come takes the place of its exact copies, and they go to the trash.
It acts only on what is beyond doubt, and never twice against somebody who took it back.
"""

from __future__ import annotations

from paperless_fingerprint.integration.context import Workplace
from paperless_fingerprint.integration.feedback.wanted import sees_more
from paperless_fingerprint.integration.merging import carry_out
from paperless_fingerprint.integration.merging.plan import Choice
from paperless_fingerprint.integration.merging.why import NotCarriedOverError
from paperless_fingerprint.library import regroup
from paperless_fingerprint.library.clock import now_text
from paperless_fingerprint.model import Decision, Group, Relation, Verdict

REPLACE = "policy replace"


def after_consumption(place: Workplace, id: int) -> None:
    """For a document that has just been analysed. The caller holds the library's lock."""
    if place.settings.exact.policy == "replace" and place.settings.paperless.write:
        for group in list(place.store.groups(ids=[id], relation=Relation.EXACT)):
            _replace(place, id, group)


def _replace(place: Workplace, id: int, group: Group) -> None:
    replaced = _beyond_doubt(place, id, group)
    if not replaced:
        return
    carry_out.finish(place)  # of a run that died
    found = {each.id: each for each in place.paperless.documents(ids=[id, *replaced])}
    texts = place.store.texts([id, *replaced])
    unchanged = [n for n in replaced if n in found and found[n].document.content == texts.get(n)]
    corrected = [n for n in unchanged if not _says_the_same(texts[n], texts.get(id, ""))]
    if corrected:
        # The file may be the same: somebody has corrected what was read from it.
        named = ", ".join(map(str, corrected))
        place.say(f"Document {id} does not replace {named}: the text there is another one.")
        unchanged = [n for n in unchanged if n not in corrected]
        if not unchanged:
            return
    if id not in found or found[id].document.content != texts.get(id) or not unchanged:
        place.say(f"Document {id} replaces nothing: a text has changed since it was compared.")
        return
    batch = 0
    if group.primary != id:
        primary = Decision(id, id, Verdict.PRIMARY, now_text(), by=REPLACE)
        batch = place.audit.write(primary.at, "primary", id, REPLACE, key=primary.key).number
        place.store.put_decision(primary)
        regroup.refresh(place.store, place.settings, group.members)
    held = place.paperless.holdings([id, *unchanged])
    if not held.keys() >= {id, *unchanged}:
        return  # gone this very moment
    plan = carry_out.of(place, held, Choice((id,), tuple(unchanged)))
    try:
        done = carry_out.merge(place, plan, REPLACE, batch=batch)
    except NotCarriedOverError as error:
        place.say(str(error))
        return
    for number in done.trashed:
        place.say(
            f"Document {number} was replaced by {id} and lies in the trash; 'undo --in-paperless' brings it back."
        )


def _says_the_same(one: str, other: str) -> bool:
    return one.split() == other.split()


def _beyond_doubt(place: Workplace, id: int, group: Group) -> list[int]:
    documents = place.store.metadata(group.members)
    newest = max(documents.values(), key=lambda each: (each.added or "", each.id), default=None)
    if newest is None or newest.id != id or group.contradictions:
        return []
    said = place.store.decisions(group.members)
    if any(d.verdict is Verdict.PRIMARY and d.by != REPLACE and d.a in documents for d in said):
        return []  # somebody has chosen which one to keep
    taken_back = {
        (other, act.document_id)
        for act in place.audit.undone()
        if act.what == "merge"
        for other in act.details["plan"]["trash"]
    }
    floor = max(place.settings.paperless.trash_confidence, place.settings.similarity_threshold)
    certain = []
    for pair in place.store.pairs(ids=[id], relation=Relation.EXACT, at_least=floor):
        other = pair.a if pair.b == id else pair.b
        if other not in documents or (other, id) in taken_back:
            continue
        # Nobody may lose sight of a document because somebody else's copy of it has come.
        if sees_more(documents[other], newest) and sees_more(newest, documents[other]):
            certain.append(other)
    return sorted(certain)
