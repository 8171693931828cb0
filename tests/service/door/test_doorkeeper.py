"""Codes, lists and signed links: who is let in, and what an attacker tries."""

import random
import unicodedata

import pytest

from plaudit.errors import InvalidInput, NotAdmitted, PassRequired
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.guests import MOST_CODES, Guests
from plaudit.service.contest.settings import CODES, DOORS, LINKS, LIST, OPEN_DOOR, SIGN_IN
from plaudit.service.door.codes import ALPHABET, Codes, value_of
from plaudit.service.door.doorkeeper import Doorkeeper, Way, way_of
from plaudit.service.door.guest_list import checked_ids, read_ids
from plaudit.service.door.links import signature_of
from plaudit.service.door.turned_away import TurnedAway
from plaudit.store.doors import Refusals

SECRET = Secret(b"the secret of the tests of doors")
HERE, ELSEWHERE = Doorkeeper(SECRET, "here"), Doorkeeper(SECRET, "elsewhere")


@pytest.fixture
def guests() -> Guests:
    found = Guests()
    found.make_codes(100)
    found.change_list(HERE.guest_list.hashes(["ann", "Jos\u00e9", "\u5f20\u4f1f"]), ())
    return found


def why(work, *given) -> str:
    with pytest.raises(NotAdmitted) as error:
        work(*given)
    assert error.value.args[0]
    return error.value.code


# Codes


def test_a_code_is_twelve_signs_and_says_its_number_to_the_service_alone():
    codes = Codes(SECRET, "here")
    texts = [codes.text(number) for number in range(1, 3_000)]
    assert len(set(texts)) == len(texts)
    assert all(len(text) == 14 and {*text} <= {*ALPHABET, "-"} for text in texts)
    assert [codes.number(text) for text in texts] == [*range(1, 3_000)]
    assert codes.number(codes.text(MOST_CODES)) == MOST_CODES
    # Neighbours have nothing in common that a holder could count on from.
    assert len({text[:4] for text in texts[:1_000]}) > 990


def test_codes_are_printed_again_as_they_were():
    """They are derived; this one must stay what it is, or codes on paper stop working."""
    assert Codes(Secret(b"x" * 32), "a").text(1) == "7CNR-6RPD-0FZB"


@pytest.mark.parametrize(
    "typed",
    [
        str.lower,
        lambda text: text.replace("-", ""),
        lambda text: f"  {text.replace('-', ' ')}\n",
        lambda text: text.replace("-", "\u2013"),
        lambda text: text.replace("0", "O").replace("1", "l"),
        lambda text: text.replace("0", "o").replace("1", "I"),
        lambda text: text.replace("V", "u"),
        lambda text: "".join(chr(ord(sign) + 0xFEE0) if sign != "-" else sign for sign in text),
    ],
    ids=["small", "joined", "spaces", "dashes", "O and l", "o and I", "u", "full width"],
)
def test_what_people_type_is_forgiven(typed):
    for number in range(1, 200):
        assert HERE.codes.number(typed(HERE.codes.text(number))) == number


@pytest.mark.parametrize(
    "text", ["", "-", "1", "0000-0000-0000", "7CNR-6RPD-0FZ", "7CNR-6RPD-0FZBB", "*" * 12,
             "\u0660" * 12, "\U0001d7ce" * 12, "a" * 10_000, "\ud800" * 12, "\0" * 12, "ſ" * 12],
)  # fmt: skip
def test_what_is_no_code_is_none(text):
    assert HERE.codes.number(text) is None


def test_any_wrong_sign_or_two_swapped_ones_are_noticed():
    chance = random.Random(7)
    for number in range(1, 60):
        text = HERE.codes.text(number).replace("-", "")
        for place in range(12):
            other = chance.choice([sign for sign in ALPHABET if sign != text[place]])
            assert HERE.codes.number(text[:place] + other + text[place + 1 :]) is None
        for place in range(11):
            swapped = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
            assert swapped == text or HERE.codes.number(swapped) is None


def test_a_hundred_thousand_guesses_find_no_code():
    """Of 2**60 texts 100,000 are codes, so that a guess is right once in 10**13 tries."""
    chance = random.Random(11)
    for _ in range(100_000):
        value = chance.getrandbits(60)
        text = "".join(ALPHABET[value >> 5 * place & 31] for place in range(12))
        assert HERE.codes.number(text) is None


def test_a_code_lets_in_one_rater_of_one_contest(guests):
    text = HERE.codes.text(7)
    rater = HERE.with_code(text, guests)
    assert HERE.with_code(text.lower(), guests) == rater
    assert HERE.with_code(HERE.codes.text(8), guests).key != rater.key
    assert rater.code == 7
    assert why(ELSEWHERE.with_code, text, guests) == "code_unknown"
    other = Doorkeeper(Secret(b"another secret of another service"), "here")
    assert why(other.with_code, text, guests) == "code_unknown"
    assert ELSEWHERE.ids.coded_rater(7).key != rater.key


def test_a_code_that_was_not_made_yet_or_was_revoked_lets_nobody_in(guests):
    assert why(HERE.with_code, HERE.codes.text(101), guests) == "code_unknown"
    rater = HERE.with_code(HERE.codes.text(7), guests)
    HERE.check(rater, CODES, guests)
    guests.change_codes([7], [])
    assert why(HERE.with_code, HERE.codes.text(7), guests) == "code_revoked"
    assert why(HERE.check, rater, CODES, guests) == "code_revoked"
    guests.change_codes([], [7])
    HERE.check(rater, CODES, guests)


# The list


@pytest.mark.parametrize(
    "typed", ["Jos\u00e9", "Jose\u0301", " Jos\u00e9 ", "\ufeffJos\u00e9\u200b"]
)
def test_one_id_of_the_list_is_one_rater_however_it_is_encoded(guests, typed):
    rater = HERE.with_listed(typed, guests)
    assert rater == HERE.with_listed("Jos\u00e9", guests)
    HERE.check(rater, LIST, guests)


@pytest.mark.parametrize(
    "invented",
    ["", "bob", "Ann", "ANN", "ann ann", "\u0430nn", "ann\u200dx", "an\u200bn", "ann\0", "Jose",
     "\uff41nn", "\u202eann", "ann\u0301"],
)  # fmt: skip
def test_ids_that_only_look_like_one_of_the_list_are_refused(guests, invented):
    assert why(HERE.with_listed, invented, guests) == "not_listed"
    # Not even with a token from the time when any id was let in.
    old = HERE.ids.external_rater(invented)
    assert why(HERE.check, old, LIST, guests) == "not_listed"


def test_an_id_that_was_taken_off_the_list_is_out_at_once(guests):
    rater = HERE.with_listed("ann", guests)
    guests.change_list((), HERE.guest_list.hashes(["ann"]))
    assert why(HERE.check, rater, LIST, guests) == "not_listed"


def test_the_list_tells_neither_ids_nor_their_order_nor_who_voted(guests):
    ids = [f"pupil-{number}" for number in range(50)]
    hashes = HERE.guest_list.hashes(ids)
    assert list(hashes) == sorted(hashes)
    assert hashes == HERE.guest_list.hashes(reversed(ids))
    assert not {*hashes} & {*ELSEWHERE.guest_list.hashes(ids)}
    keys = {HERE.ids.external_rater(one).key.hex() for one in ids}
    tokens = {HERE.ids.external_rater(one).id.hex() for one in ids}
    for one in hashes:
        assert not any(one[:12] in known for known in keys | tokens)


def test_ids_are_read_from_lines_and_from_the_first_column():
    assert read_ids("\ufeffS-1\r\nS-2\r\n\r\n S-1 \r\n") == ["S-1", "S-2"]
    assert read_ids('Id,Name\n"S,1","Ann ""A"" B"\nS-2\n') == ["S,1", "S-2"]
    assert read_ids(unicodedata.normalize("NFD", "Jos\u00e9")) == ["Jos\u00e9"]
    assert read_ids("") == []
    for wrong in ("x" * 201, "a\x07b", "a\u2028b"):
        with pytest.raises(InvalidInput, match="An id has 1 to 200"):
            read_ids(wrong)
    with pytest.raises(InvalidInput, match="at most 100,000"):
        checked_ids(map(str, range(100_001)))


# Signed links


def test_a_signature_is_for_one_id_in_one_contest_with_one_key(guests):
    key = HERE.link_keys.key(0)
    signed = signature_of(key, "here", "ann")
    rater = HERE.with_signed("ann", signed, guests)
    assert HERE.with_signed("ann", signed.upper(), guests) == rater
    HERE.check(rater, LINKS, guests)
    wrong = [
        ("bob", signed),
        ("ann", signature_of(ELSEWHERE.link_keys.key(0), "here", "ann")),
        ("ann", signature_of(key, "elsewhere", "ann")),
        ("ann", signature_of(HERE.link_keys.key(1), "here", "ann")),
        ("ann", ""),
        ("ann", signed[:-1]),
        ("ann", signed + "0"),
        ("ann", "\ud800"),
        ("nn", signature_of(key, "here\na", "nn")),
    ]
    for external, signature in wrong:
        assert why(HERE.with_signed, external, signature, guests) == "link_refused"


def test_another_key_shuts_out_what_the_old_one_let_in(guests):
    by_link = HERE.with_signed("ann", signature_of(HERE.link_keys.key(0), "here", "ann"), guests)
    by_key = HERE.with_key(HERE.ids.new_rater(), guests)
    for rater in (by_link, by_key):
        HERE.check(rater, LINKS, guests)
    guests.change_link_key(1)
    assert why(HERE.check, by_link, LINKS, guests) == "link_refused"
    assert why(HERE.check, by_key, LINKS, guests) == "link_required"
    again = HERE.with_signed("ann", signature_of(HERE.link_keys.key(1), "here", "ann"), guests)
    assert again.key == by_link.key
    HERE.check(again, LINKS, guests)


# All doors


def test_every_door_but_the_open_one_asks_for_its_own(guests):
    signed = signature_of(HERE.link_keys.key(0), "here", "bob")
    comers = {
        OPEN_DOOR: HERE.ids.new_rater(),
        CODES: HERE.with_code(HERE.codes.text(1), guests),
        LIST: HERE.with_listed("ann", guests),
        LINKS: HERE.with_signed("bob", signed, guests),
        SIGN_IN: HERE.ids.signed_in_rater("https://id.example|7"),
    }
    ways = {OPEN_DOOR: Way.ANYBODY, CODES: Way.CODE, LIST: Way.LIST, LINKS: Way.LINK,
            SIGN_IN: Way.SIGN_IN}  # fmt: skip
    assert comers.keys() == {*DOORS}
    for came_by, rater in comers.items():
        assert way_of(rater, came_by) == ways[came_by]
        for door in DOORS:
            if door in (OPEN_DOOR, came_by):
                HERE.check(rater, door, guests)
            else:
                with pytest.raises(NotAdmitted) as error:
                    HERE.check(rater, door, guests)
                # The id of a signed link may also be on the list, and is not.
                expected = came_by == LINKS and door == LIST
                assert isinstance(error.value, PassRequired) != expected


def test_a_program_with_a_key_brings_raters_to_any_door(guests):
    for rater in (HERE.ids.new_rater(), HERE.ids.external_rater("anybody")):
        brought = HERE.with_key(rater, guests)
        assert brought.key == rater.key
        for door in DOORS:
            HERE.check(brought, door, guests)
            assert way_of(brought, door) == Way.KEY


def test_refusals_are_counted_until_they_are_written():
    now = [3 * 86_400_000 + 5]
    counted = TurnedAway(lambda: now[0])
    for _ in range(3):
        counted.count("here", "code_unknown")
    now[0] += 86_400_000
    counted.count("here", "code_unknown")
    taken = counted.take()
    assert taken == [
        Refusals("here", 3, "code_unknown", 3), Refusals("here", 4, "code_unknown", 1)
    ]  # fmt: skip
    assert counted.take() == []
    counted.put_back(taken)
    counted.count("here", "code_unknown")
    assert [one.times for one in counted.take()] == [3, 2]


def test_what_waits_to_be_written_is_bounded():
    counted = TurnedAway(lambda: 0)
    for number in range(20_000):
        counted.count("here", f"reason-{number}")
    assert len(counted.take()) == 10_000


def test_a_value_of_a_code_is_read_sign_by_sign():
    assert value_of("ZZZZ-ZZZZ-ZZZZ") == 2**60 - 1
