"""The roles of those who run contests, and who takes a step."""

from typing import NamedTuple

from plaudit.errors import NotPermitted, WrongField
from plaudit.phrase import Phrase
from plaudit.store.people import NOBODY, OWNER, Account
from plaudit.words import N_

# Each role may also do what the roles before it may.
VIEWER, EDITOR = "viewer", "editor"
ROLES = (VIEWER, EDITOR, OWNER)


class Actor(NamedTuple):
    """Who takes a step."""

    number: int
    name: str
    role: str


# Nobody is signed in: without a role one may do nothing.
NOBODY_KNOWN = Actor(NOBODY, "", "")
# Whoever can run commands on the database may do everything.
COMMAND_LINE = Actor(NOBODY, "the command line", OWNER)


def actor_of(account: Account) -> Actor:
    """The owner of an account, as the one who takes a step."""
    return Actor(account.number, account.name, account.role)


def may(role: str, wanted: str) -> bool:
    """Whether a role includes another one; an unknown role includes none.

    >>> may("owner", "editor"), may("viewer", "editor"), may("king", "viewer")
    (True, False, False)
    """
    return role in ROLES and ROLES.index(role) >= ROLES.index(wanted)


def check_role(role: str) -> str:
    """The role, if there is one with this name."""
    if role not in ROLES:
        told = N_("There is no role {role!r}: choose one of {roles}.")
        raise WrongField("role", Phrase(told, role=role, roles=", ".join(ROLES)))
    return role


def require_editor(by: Actor) -> None:
    """Returns if this person may change contests."""
    if not may(by.role, EDITOR):
        told = N_("Only an editor may do this, and your role is {role}. Ask an owner.")
        raise NotPermitted(Phrase(told, role=Phrase(by.role)))


def key_actor(name: str, scope: str) -> Actor:
    """The holder of an API key, as the one who takes a step; the scope was checked before.

    What only an owner may do at the desk has a scope of its own.
    """
    return Actor(NOBODY, f"API key {name}", OWNER if scope == "erase" else EDITOR)


def require_owner(by: Actor) -> None:
    """Returns if this person is an owner of the desk."""
    if not may(by.role, OWNER):
        told = N_("Only an owner may do this, and your role is {role}. Ask an owner.")
        raise NotPermitted(Phrase(told, role=Phrase(by.role)))
