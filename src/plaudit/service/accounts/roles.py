"""Roles of those who run contests, and who takes a step."""

from typing import NamedTuple

from plaudit.errors import NotPermitted, WrongField
from plaudit.store.people import NOBODY, OWNER, Account

# Each role may do what those before it may.
VIEWER, EDITOR = "viewer", "editor"
ROLES = (VIEWER, EDITOR, OWNER)


class Actor(NamedTuple):
    """Who takes a step."""

    number: int
    name: str
    role: str


# Before it is known who it is: whoever has no role may do nothing.
NOBODY_KNOWN = Actor(NOBODY, "", "")
# Whoever can run commands on the database may do everything.
COMMAND_LINE = Actor(NOBODY, "the command line", OWNER)


def actor_of(account: Account) -> Actor:
    """Someone with an account, as the one who takes a step."""
    return Actor(account.number, account.name, account.role)


def may(role: str, wanted: str) -> bool:
    """Whether a role includes another one; a role that is not known includes none.

    >>> may("owner", "editor"), may("viewer", "editor"), may("king", "viewer")
    (True, False, False)
    """
    return role in ROLES and ROLES.index(role) >= ROLES.index(wanted)


def check_role(role: str) -> str:
    """The role, if there is one of this name."""
    if role not in ROLES:
        raise WrongField("role", f"There is no role {role!r}: choose one of {', '.join(ROLES)}.")
    return role


def require_editor(by: Actor) -> None:
    """Returns if this one may change contests."""
    if not may(by.role, EDITOR):
        raise NotPermitted(f"Only an editor may do this, and you are {by.role}. Ask an owner.")


def key_actor(name: str, scope: str) -> Actor:
    """Whoever holds an API key, as the one who takes a step; its scope was checked before.

    What takes an owner at the desk has a scope of its own.
    """
    return Actor(NOBODY, f"API key {name}", OWNER if scope == "erase" else EDITOR)


def require_owner(by: Actor) -> None:
    """Returns if this one owns the desk."""
    if not may(by.role, OWNER):
        raise NotPermitted(f"Only an owner may do this, and you are {by.role}. Ask an owner.")
