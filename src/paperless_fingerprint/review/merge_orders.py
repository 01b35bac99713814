"""What somebody wants merged, as it stands in the journal until it is carried out; and whether that
person may have it done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from paperless_fingerprint.integration.merging.plan import Choice, MergePlan, Taken
from paperless_fingerprint.languages.reasons import Reason
from paperless_fingerprint.paperless.records import Holding
from paperless_fingerprint.review.person import Person


@dataclass(frozen=True, slots=True)
class Identical:
    """What must hold of each group of many, of which nobody has looked at any."""

    #: The least confidence.
    floor: float
    protected_tags: tuple[str, ...] = ()
    protected_path: int | None = None
    protected: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeOrder:
    #: Whose rights count, also after a restart.
    person: Person
    choice: Choice
    #: Of the plan that was shown; empty where many were ordered at once.
    seen: str
    identical: Identical | None = None

    def as_text(self) -> str:
        told = asdict(self)
        del told["person"]["visible"]
        return json.dumps(told)

    @classmethod
    def of_text(cls, text: str) -> MergeOrder:
        told = json.loads(text)
        person, choice = told["person"], told["choice"]
        return cls(
            Person(**{**person, "groups": tuple(person["groups"])}),
            Choice(
                tuple(choice["keep"]),
                tuple(choice["trash"]),
                tuple(Taken(**taken) for taken in choice["take"]),
                tuple(choice["despite"]),
            ),
            told["seen"],
            None if told["identical"] is None else _identical(told["identical"]),
        )


def _identical(told: Mapping[str, Any]) -> Identical:
    return Identical(
        told["floor"], tuple(told["protected_tags"]), told["protected_path"],
        tuple(told["protected"]),
    )  # fmt: skip


def why_not(person: Person, held: Mapping[int, Holding], plan: MergePlan) -> Reason | None:
    for id in plan.trash:
        if not person.may_trash(held[id]):
            return Reason("may_not_trash", {"document": id})
    if plan.gives and not person.may_change(held[plan.gets]):
        return Reason("may_not_change", {"document": plan.gets})
    change = plan.changed("owner")
    if change is not None and not person.may_trash(held[plan.gets]):
        return Reason("may_not_give_away", {"document": plan.gets})
    return None
