"""Users, groups, tokens, and who may see and change what."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

_KINDS = (
    "document tag correspondent documenttype storagepath customfield savedview note user group "
    "uisettings paperlesstask workflow mailaccount mailrule sharelink applicationconfiguration "
    "logentry permission"
).split()
ALL_PERMISSIONS = tuple(
    f"{action}_{kind}" for kind in _KINDS for action in ("view", "add", "change", "delete")
)


@dataclass(slots=True, eq=False, kw_only=True)
class Owned:
    """Anything that has an owner and lists of who else may see or change it."""

    owner: int | None = None
    view_users: set[int] = field(default_factory=set)
    view_groups: set[int] = field(default_factory=set)
    change_users: set[int] = field(default_factory=set)
    change_groups: set[int] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class User:
    id: int
    username: str
    password: str
    is_superuser: bool = False
    is_staff: bool = False
    groups: set[int] = field(default_factory=set)
    permissions: set[str] = field(default_factory=set)
    #: A second factor that the token endpoint asks for; empty where the user has none.
    code: str = ""
    first_name: str = ""
    last_name: str = ""


@dataclass(slots=True, eq=False)
class Group:
    id: int
    name: str
    permissions: set[str] = field(default_factory=set)


class People:
    def __init__(self) -> None:
        self.users: dict[int, User] = {}
        self.groups: dict[int, Group] = {}
        self.tokens: dict[str, int] = {}
        self._user_numbers = itertools.count(2)  # Paperless has made two of its own by then
        self._group_numbers = itertools.count(1)

    def add_user(
        self,
        username: str,
        password: str,
        *,
        permissions: Iterable[str] = (),
        superuser: bool = False,
        groups: Iterable[int] = (),
        code: str = "",
    ) -> User:
        user = User(
            next(self._user_numbers),
            username,
            password,
            is_superuser=superuser,
            is_staff=superuser,
            groups=set(groups),
            permissions=set(permissions),
            code=code,
        )
        self.users[user.id] = user
        return user

    def add_group(self, name: str, permissions: Iterable[str] = ()) -> Group:
        group = Group(next(self._group_numbers), name, set(permissions))
        self.groups[group.id] = group
        return group

    def token_of(self, user: User) -> str:
        """The user's one token, made on first use."""
        for token, number in self.tokens.items():
            if number == user.id:
                return token
        token = secrets.token_hex(20)
        self.tokens[token] = user.id
        return token

    def by_token(self, token: str) -> User | None:
        return self.users.get(self.tokens.get(token, -1))

    def by_password(self, username: str, password: str) -> User | None:
        for user in self.users.values():
            if user.username == username and secrets.compare_digest(
                user.password.encode(), password.encode()
            ):
                return user
        return None

    def permissions_of(self, user: User) -> set[str]:
        if user.is_superuser:
            return set(ALL_PERMISSIONS)
        return user.permissions | self.inherited(user)

    def inherited(self, user: User) -> set[str]:
        return set().union(*(self.groups[g].permissions for g in user.groups if g in self.groups))

    def has(self, user: User, permission: str) -> bool:
        return user.is_superuser or permission in self.permissions_of(user)


def may_view(user: User, thing: Owned) -> bool:
    return (
        user.is_superuser
        or thing.owner is None
        or thing.owner == user.id
        or user.id in thing.view_users
        or bool(user.groups & thing.view_groups)
        or may_change(user, thing)
    )


def may_delete(user: User, thing: Owned) -> bool:
    """Nobody is given that for a document of somebody else, other than what he may see or change."""
    return user.is_superuser or thing.owner in {None, user.id}


def may_change(user: User, thing: Owned) -> bool:
    return (
        user.is_superuser
        or thing.owner is None
        or thing.owner == user.id
        or user.id in thing.change_users
        or bool(user.groups & thing.change_groups)
    )
