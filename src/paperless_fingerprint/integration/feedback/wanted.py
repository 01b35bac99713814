"""What Paperless should say about each document, from groups, chains and pairs.

A pure look at the library; what is written already plays no part. Nothing is said on a document
about another one that somebody who sees the first may not see: neither a tag nor a link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from paperless_fingerprint.grouping.groups import PRIMARY_RULES
from paperless_fingerprint.integration.feedback.labels import Role
from paperless_fingerprint.model import (
    GROUPING_RELATIONS,
    STORED_RELATIONS,
    Document,
    Group,
    Link,
    Relation,
    VersionChain,
)
from paperless_fingerprint.settings.registry import Settings
from paperless_fingerprint.stores.base import Connections, Store

#: A page of letters may be part of many bundles; a field is no place for all of them.
_MOST_LINKS = 20


@dataclass(slots=True)
class Wish:
    roles: set[Role] = field(default_factory=set)
    #: Kind of link → the documents it leads to.
    links: dict[str, list[int]] = field(default_factory=dict)
    confidence: float | None = None
    sentences: list[str] = field(default_factory=list)
    #: Of these, those that say what a link would say, had it not to show on its other end, too.
    instead: list[str] = field(default_factory=list)

    def is_sure(self, confidence: float) -> None:
        self.confidence = max(self.confidence or 0.0, confidence)


def wishes(
    store: Store,
    settings: Settings,
    ids: Collection[int] | None = None,
    known: Mapping[int, Document] | None = None,
) -> dict[int, Wish]:
    """For these documents, or for all; who is not in the answer should have nothing of ours.

    `known` are documents that the caller has just read.
    """
    links, groups, chains = _around(store, ids, settings.similarity_threshold)
    mentioned = {id for link in links for id in (link.a, link.b)}
    mentioned |= {id for group in groups for id in group.members}
    mentioned |= {id for chain in chains for id in chain.members}
    documents = dict(known or {})
    if unknown := mentioned - documents.keys():
        documents.update(store.metadata(unknown))
    found = _Wishes(documents, settings)
    for group in groups:
        found.add_group(group)
    for chain in chains:
        found.add_chain(chain)
    for link in links:
        found.add_link(link)
    return {
        id: wish
        for id, wish in found.wishes.items()
        if wish.roles and (ids is None or id in ids) and id in documents
    }


def _around(
    store: Store, ids: Collection[int] | None, at_least: float
) -> tuple[list[Link], Collection[Group], Collection[VersionChain]]:
    """The links of these documents, and the groups and chains of all that they lead to."""
    if ids is None:
        links = [
            link for link in store.links(at_least=at_least) if link.relation in STORED_RELATIONS
        ]
        return links, list(store.groups()), store.chains()
    own = store.connections(ids, at_least=at_least)
    links = [link for link in own.links if link.relation in STORED_RELATIONS]
    others = {id for link in links for id in (link.a, link.b)} - set(ids)
    further = store.connections(others, at_least=at_least) if others else Connections()
    return (
        links,
        {group.id: group for group in (*own.groups, *further.groups)}.values(),
        {chain.id: chain for chain in (*own.chains, *further.chains)}.values(),
    )


class _Wishes:
    def __init__(self, documents: Mapping[int, Document], settings: Settings) -> None:
        self.wishes: defaultdict[int, Wish] = defaultdict(Wish)
        self._documents = documents
        self._settings = settings
        self._group_of: dict[int, Group] = {}

    def _is_told(self, relation: Relation) -> bool:
        return bool(self._settings.value(f"{relation.value}.policy") != "skip")

    def _may_tell(self, on: int, about: Iterable[int]) -> bool:
        """Whether all who see `on` see at least one of `about`."""
        shown = self._documents.get(on)
        return shown is not None and any(
            other is not None and sees_more(shown, other)
            for other in map(self._documents.get, about)
        )

    def _link(self, kind: str, on: int, to: int, sentence: str) -> None:
        """Paperless shows a link on both of its ends; where one of them may not show it, a sentence
        stands on the other."""
        wish = self.wishes[on]
        wish.sentences.append(sentence)
        if self._may_tell(to, [on]):
            links = wish.links.setdefault(kind, [])
            if to not in links and len(links) < _MOST_LINKS:
                links.append(to)
        elif len(wish.instead) < _MOST_LINKS:
            wish.instead.append(sentence)

    def add_group(self, group: Group) -> None:
        for id in group.members:
            self._group_of[id] = group
        if not self._is_told(group.relation):
            return
        role = Role.EXACT if group.relation is Relation.EXACT else Role.NEAR
        word = "Exact" if role is Role.EXACT else "Near"
        for id in group.members:
            others = [
                other for other in group.members if other != id and self._may_tell(id, [other])
            ]
            if not others:
                continue
            primary = self._primary(group, {id, *others})
            if id != primary:
                self.wishes[id].roles.add(role)
                self._link("duplicate", id, primary, f"{word} duplicate of document {primary}.")
                continue
            wish = self.wishes[id]
            wish.roles.add(Role.PRIMARY)
            # Its links are set by the others; those that may not lead here are said here.
            unlinked = [other for other in others if not self._may_tell(other, [id])]
            said = [f"{word} duplicate: document {other}." for other in unlinked[:_MOST_LINKS]]
            wish.sentences += said
            wish.instead += said

    def _primary(self, group: Group, seen: Collection[int]) -> int:
        """Of those that all who see a document see, one is kept, too, or they would delete all."""
        if group.primary in seen:
            return group.primary
        rule = self._settings.primary_rule
        choose = PRIMARY_RULES[rule if rule != "text" else "oldest"]  # texts are not at hand
        return choose([self._documents[id] for id in sorted(seen)])

    def add_chain(self, chain: VersionChain) -> None:
        if not self._is_told(Relation.VERSION):
            return
        latest = chain.latest
        newest = self._group_of.get(latest)
        alike = set(newest.members) if newest else {latest}
        for id in chain.members:
            if id in alike or not self._may_tell(id, [latest]):
                continue
            self.wishes[id].roles.add(Role.VERSION)
            self._link("version", id, latest, f"Older version of document {latest}.")

    def add_link(self, link: Link) -> None:
        if not self._is_told(link.relation):
            return
        if link.relation is Relation.CONTAINS and link.leader is not None:
            part = link.a if link.leader == link.b else link.b
            group = self._group_of.get(link.leader)
            whole = group.primary if group and part not in group.members else link.leader
            if self._may_tell(part, [whole]):
                self.wishes[part].roles.add(Role.CONTAINS)
                self._link("contains", part, whole, f"Part of document {whole}.")
        elif link.relation is Relation.SEMANTIC:
            for id, other in ((link.a, link.b), (link.b, link.a)):
                if self._may_tell(id, [other]):
                    wish = self.wishes[id]
                    wish.roles.add(Role.SEMANTIC)
                    wish.is_sure(link.confidence)
                    wish.sentences.append(f"Says the same as document {other}.")
        elif link.relation in GROUPING_RELATIONS or link.relation is Relation.VERSION:
            for id in (link.a, link.b):
                if id in self.wishes and self.wishes[id].roles - {Role.PRIMARY}:
                    self.wishes[id].is_sure(link.confidence)


def sees_more(shown: Document, other: Document) -> bool:
    """Whether everybody who may view `shown` may view `other`, as far as it can be known."""
    if other.owner is None:
        return True
    if shown.owner is None:
        return False
    return {shown.owner, *shown.viewers} <= {other.owner, *other.viewers}
