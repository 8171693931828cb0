"""The formats of certificates: which fields each must have, and may have."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from plaudit.errors import InvalidInput
from plaudit.service.archive.unknown_fields import unknown_fields, unknown_in_settings
from plaudit.service.contest.certificate import (
    FIRST_FORMAT,
    FORMAT,
    SECOND_FORMAT,
    SIGNED_FORMAT,
)


class Form(Struct):
    """The fields that a certificate must have, so that it can be compared."""

    format: str
    plaudit: str
    contest: str
    settings: dict[str, Any]
    lane: Annotated[int, Meta(ge=0)]
    judged_at: Annotated[int, Meta(ge=0)]
    digest: str
    items: int
    withdrawn: list[int]
    excluded: list[int]
    counts: list[list[Annotated[int, Meta(ge=0, le=2**62)]]]
    winners: list[int]
    delta: float | None
    epsilon: float
    top: int
    algorithm: str
    votes: int
    gap: float | None
    lower: list[float | None]
    upper: list[float | None]
    epoch: int
    initial_items: int
    absent: list[int]
    joined: list[int]
    pools: dict[str, list[int]]


class SecondForm(Form):
    """The same of a certificate that says what the race stopped by."""

    stopping: str


class Excluded(Struct):
    """What a certificate says of excluded raters."""

    raters: int
    by_votes: int
    same: bool
    grounds: dict[str, list[int]]
    votes: dict[str, list[int]]


class ThirdForm(SecondForm):
    """The same of a certificate that says what a verdict withstands and owes to excluded raters."""

    exclusions: Excluded
    tolerance: Annotated[int, Meta(ge=0)]
    withstands: int | None


class SignedForm(ThirdForm):
    """The same of a certificate that is signed, with the checkpoint that it rests on."""

    checkpoint: str
    origin: str
    items_digest: str
    raters_digest: str
    signature: str


FORMS: dict[str, type[Form]] = {
    FIRST_FORMAT: Form,
    SECOND_FORMAT: SecondForm,
    FORMAT: ThirdForm,
    SIGNED_FORMAT: SignedForm,
}


def check_form(certificate: dict[str, Any]) -> None:
    """Returns if a certificate has all that its format asks for; `InvalidInput` otherwise."""
    said = certificate.get("format")
    if not isinstance(said, str) or said not in FORMS:
        given = "says no format" if said is None else f"says the format {str(said)[:60]!r}"
        raise InvalidInput(
            f"This is not a certificate that can be read here: it {given}. "
            f"Known are {', '.join(map(repr, FORMS))}."
        )
    try:
        msgspec.convert(certificate, FORMS[said])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"This is not a whole certificate: {error}.") from None


def unknown_in_certificate(certificate: dict[str, Any]) -> list[str]:
    """The fields of a certificate that its format does not have, also inside of others."""
    found = unknown_fields(certificate, FORMS[certificate["format"]])
    return [*found, *(f"settings.{name}" for name in unknown_in_settings(certificate["settings"]))]
