"""`plaudit contest`, `plaudit verify` and `plaudit key`: every verb, for people and machines."""

import csv
import gzip
import hashlib
import io
import json
import re
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from plaudit.cli import main
from plaudit.cli.contest import proposals as contest_proposals
from plaudit.cli.contest import raters as contest_raters
from plaudit.cli.main import VERBS
from plaudit.errors import ProposalRefused
from plaudit.service.contest import grounds
from plaudit.service.contest.proposals import REFUSALS
from plaudit.service.desk.desk import Desk
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.worker import now_ms
from plaudit.store import open_store
from support.live_worker import NAME, working

ROOT = Path(__file__).parents[2]
# The secret of `live_worker`.
SECRET = "a secret that only tests know....."
FILE = """\
name: captions
title: What is the elephant saying?
items: captions.txt
scale: funny
delta: 0.1
epsilon: 0.3
"""
CAPTIONS = [f"caption {number}" for number in range(5)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a contest file, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLAUDIT_SECRET", raising=False)
    monkeypatch.setenv("PLAUDIT_DATABASE", "votes.db")
    (tmp_path / "contest.yaml").write_text(FILE, encoding="utf-8")
    (tmp_path / "captions.txt").write_text("\n".join(CAPTIONS), encoding="utf-8")
    return tmp_path


def run(*words, code=0):
    """What a command prints on standard output; errors are in `run.said`."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    run.said = result.stderr
    return result.stdout


def told(*words, code=0):
    return json.loads(run(*words, "--json", code=code))


def refused(*words):
    """The one line that says why a command was refused."""
    run(*words, code=2)
    assert "Traceback" not in run.said
    return run.said


@pytest.fixture
def contest(folder):
    run("contest", "create", "contest.yaml", "--open")
    return folder


def vote(database, raters, best=2):
    """So many raters judge everything, the best item well."""
    with working(str(database), now_ms) as worker:
        for _ in range(raters):
            rater = worker.new_rater()
            while worker.vote_once(rater, lambda item: 2 if item == best else 0) is not None:
                pass


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A folder with a contest that has its verdict, its certificate and its export."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("decided")
        patch.chdir(folder)
        patch.setenv("PLAUDIT_DATABASE", "votes.db")
        (folder / "contest.yaml").write_text(FILE, encoding="utf-8")
        (folder / "captions.txt").write_text("\n".join(CAPTIONS), encoding="utf-8")
        run("contest", "create", "contest.yaml", "--open")
        with working("votes.db", now_ms) as worker:
            while not worker.live.verdict_due() and not worker.live.all_decided:
                rater = worker.new_rater()
                while worker.vote_once(rater, lambda item: 2 if item == 2 else 0) is not None:
                    pass
            worker.until_decided()
        run("contest", "verdict", NAME, "--certificate", "certificate.json")
        run("contest", "export", NAME, "--out", "contest.jsonl.gz")
    return folder


# Creating


def test_check_creates_nothing(folder):
    assert "would be created" in run("contest", "create", "contest.yaml", "--check")
    checked = told("contest", "create", "contest.yaml", "--check")
    assert (checked["name"], checked["items"], checked["notes"]) == (NAME, 5, [])
    assert "state" not in checked
    assert not (folder / "votes.db").exists()


def test_create_and_list(folder):
    assert "There is no database" in refused("contest", "list")
    open_store("votes.db").close()
    assert "There are no contests yet" in run("contest", "list")
    made = told("contest", "create", "contest.yaml")
    assert (made["name"], made["state"]) == (NAME, "draft")
    [row] = told("contest", "list")["contests"]
    assert row == {
        "name": NAME, "state": "draft", "title": "What is the elephant saying?", "items": 5,
        "votes": 0, "raters": 0, "verdicts": 0,
    }  # fmt: skip
    assert "elephant" in run("contest", "list")
    assert "already" in refused("contest", "create", "contest.yaml")


def test_mistakes_have_their_lines(folder):
    (folder / "contest.yaml").write_text(FILE.replace("delta: 0.1", "delta: 3\ncolour: red"))
    said = refused("contest", "create", "contest.yaml")
    assert "line 5" in said
    assert "line 6" in said
    assert "colour" in said
    assert refused("contest", "create", "nothing.yaml")
    (folder / "captions.txt").write_text("one\none\ntwo\nthree")
    (folder / "contest.yaml").write_text(FILE)
    run("contest", "create", "contest.yaml")
    assert "note: " in run.said
    assert "repeats" in run.said


def test_a_contest_opens_at_once(contest):
    assert told("contest", "list")["contests"][0]["state"] == "open"


# Steps


def test_every_step_and_only_where_it_fits(folder):
    run("contest", "create", "contest.yaml")
    for step, state in [
        ("open", "open"), ("pause", "paused"), ("open", "open"), ("close", "closed"),
        ("reopen", "open"), ("close", "closed"), ("retire", "retired"),
    ]:  # fmt: skip
        done = told("contest", step, NAME)
        assert (done["name"], done["state"]) == (NAME, state)
    said = refused("contest", "open", NAME)
    assert "retired" in said
    assert len(said.splitlines()) == 1
    assert "retired" in refused("contest", "add-items", NAME, "captions.txt")


def test_a_step_in_words(contest):
    assert run("contest", "pause", NAME) == "captions is paused (entry 3 of its log)\n"
    assert "Cannot pause" in refused("contest", "pause", NAME)


def test_a_misspelt_contest_gets_the_nearest_name(contest):
    for verb in ("open", "export", "verdict"):
        assert "Did you mean 'captions'?" in refused("contest", verb, "captoins")
    assert "Did you mean" not in refused("contest", "open", "zzz")


def test_no_contest_at_all(folder):
    open_store("votes.db").close()
    open_store("votes.db").close()
    assert "no contest named" in refused("contest", "open", NAME)


def test_a_draft_can_be_deleted_and_brought_back(folder):
    run("contest", "create", "contest.yaml")
    assert told("contest", "delete", NAME)["state"] == "deleted"
    assert told("contest", "list")["contests"] == []
    assert "it is deleted" in refused("contest", "open", NAME)
    assert "is deleted: it cannot change" in refused("contest", "withdraw", NAME, "i1")
    assert told("contest", "undelete", NAME)["state"] == "draft"
    run("contest", "open", NAME)
    assert "would have to be draft" in refused("contest", "delete", NAME)


def test_a_name_is_never_cut(contest, monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    assert NAME in run("contest", "list")


# Items


def test_an_id_means_the_same_item_everywhere(contest):
    """An id of a table, a verdict or an answer can be typed; a bare number is a position."""
    rows = list(csv.DictReader(io.StringIO(run("contest", "export", NAME, "--what", "items"))))
    of_second = next(row["id"] for row in rows if row["text"] == "caption 1")
    run("contest", "withdraw", NAME, of_second)
    assert "note" not in run.said
    run("contest", "withdraw", NAME, 3)
    assert "read as a position from 0, which is item i4" in run.said
    rows = csv.DictReader(io.StringIO(run("contest", "export", NAME, "--what", "items")))
    gone = [(row["item"], row["id"]) for row in rows if row["status"] == "withdrawn"]
    assert gone == [("1", "i2"), ("3", "i4")]
    made = told("contest", "edit", NAME, "I1", "--text", "new", "--votes", "keep")
    assert (made["item"], made["id"]) == (5, "i6")
    assert "not the id of an item, such as i8" in refused("contest", "withdraw", NAME, "i0")


def test_items_join_and_leave(contest):
    Path("more.txt").write_text("another\nand one more\nanother\n")
    assert told("contest", "add-items", NAME, "more.txt")["position"] == 3
    assert "repeats" in run.said
    assert told("contest", "list")["contests"][0]["items"] == 7
    assert told("contest", "withdraw", NAME, 0, 6)["position"] == 4
    assert told("contest", "list")["contests"][0]["items"] == 5
    assert "no item i100" in refused("contest", "withdraw", NAME, 99)
    assert "already" in refused("contest", "withdraw", NAME, 0)
    assert "would leave" in refused("contest", "withdraw", NAME, 1, 2, 3, 4, 5)
    refused("contest", "withdraw", NAME, "one")
    refused("contest", "withdraw", NAME)


def test_items_are_merged_edited_and_brought_back(contest):
    vote("votes.db", 2)
    merged = told("contest", "merge", NAME, 3, 1)
    assert (merged["item"], merged["state"]) == (5, "open")
    edited = told("contest", "edit", NAME, 5, "--text", "said well", "--votes", "keep")
    assert (edited["item"], edited["epoch"]) == (6, merged["epoch"] + 1)
    rows = list(csv.DictReader(io.StringIO(run("contest", "export", NAME, "--what", "items"))))
    assert [row["text"] for row in rows[5:]] == ["caption 3", "said well"]
    assert [row["votes"] for row in rows[5:]] == ["2", "2"]
    assert "its new item is i8" in run(
        "contest", "edit", NAME, 0, "--text", "another", "--votes", "anew"
    )
    run("contest", "withdraw", NAME, 2)
    assert told("contest", "bring-back", NAME, 2)["item"] is None
    assert "at least two" in refused("contest", "merge", NAME, 2, 2)
    assert "--votes" in refused("contest", "edit", NAME, 2, "--text", "no word on votes")
    assert "None of these items" in refused("contest", "bring-back", NAME, 2)


def test_proposals_are_listed_taken_and_refused(contest):
    vote("votes.db", 1)
    assert "takes no suggestions" in str(refusal(0, "too early"))
    run("contest", "change", NAME, "proposals=held")
    assert "No proposal waits." in run("contest", "proposals", NAME)
    numbers = [propose(0, text) for text in ("[/b]Ice", "Cold comfort", "Snow joke")]
    for command in ("proposals", "trail"):
        shown = run("contest", command, NAME)
        assert "[/b]Ice" in shown
        assert "\\[" not in shown
    rows = told("contest", "proposals", NAME)["proposals"]
    assert [row["proposal"] for row in rows] == numbers
    taken = told("contest", "take-proposals", NAME, numbers[0], "--text", "Ice work if you can")
    assert taken["item"] == 5
    assert "for one proposal" in refused(
        "contest", "take-proposals", NAME, *numbers[1:], "--text", "Both"
    )
    run("contest", "refuse-proposals", NAME, *numbers[1:], "--reason", "unclear", "--note", "What?")
    assert "decided already" in refused("contest", "take-proposals", NAME, numbers[1])
    assert "boring" in refused("contest", "refuse-proposals", NAME, 1, "--reason", "boring")
    rows = told("contest", "proposals", NAME, "--all")["proposals"]
    assert [(row["standing"], row["item"], row["reason"]) for row in rows] == [
        ("taken", "i6", None), ("refused", None, "unclear"), ("refused", None, "unclear"),
    ]  # fmt: skip
    file = run("contest", "export", NAME, "--what", "proposals")
    assert [row["status"] for row in csv.DictReader(io.StringIO(file))] == [
        "taken", "refused", "refused",
    ]  # fmt: skip


def propose(rater, text):
    """A proposal of a rater, as the service would write it; its number."""
    store = open_store("votes.db")
    try:
        return Desk(store, clock=now_ms).propose(NAME, rater, text).position
    finally:
        store.close()


def refusal(rater, text):
    with pytest.raises(ProposalRefused) as found:
        propose(rater, text)
    return found.value


def test_the_reasons_are_those_of_the_service():
    assert (*REFUSALS,) == contest_proposals.REASONS


def test_the_trail_and_undoing(contest):
    gone = told("contest", "withdraw", NAME, 2)
    trail = told("contest", "trail", NAME)
    assert trail["epoch"] == gone["epoch"] == 3
    assert [step["what"] for step in trail["steps"]] == [
        "withdrew item i3", "started the contest", "created the contest with 5 items",
    ]  # fmt: skip
    assert told("contest", "trail", NAME, "--since", 2)["steps"] == trail["steps"][:1]
    assert len(told("contest", "trail", NAME, "--limit", 2)["steps"]) == 2
    shown = run("contest", "trail", NAME)
    assert "epoch 3" in shown
    assert "can be undone" in " ".join(shown.split())
    run("contest", "undo", NAME, gone["position"])
    assert "undone already" in refused("contest", "undo", NAME, gone["position"])
    assert "no step at position 99" in refused("contest", "undo", NAME, 99)


def test_a_step_on_what_was_not_seen_tells_what_was_done(contest):
    run("contest", "withdraw", NAME, 2, "--epoch", 2)
    for verb in (
        ["pause"], ["add-items", "captions.txt"], ["withdraw", "1"], ["merge", "0", "1"],
        ["bring-back", "2"], ["edit", "0", "--text", "x", "--votes", "anew"], ["undo", "2"],
        ["change", "title=x"], ["exclude-rater", "0" * 32], ["erase-rater", "0" * 32],
    ):  # fmt: skip
        said = refused("contest", verb[0], NAME, *verb[1:], "--epoch", 2)
        assert "the command line withdrew item i3" in said
        assert "its epoch is 3, not 2" in said


def test_settings_change(contest):
    assert told("contest", "settings", NAME)["settings"]["epsilon"] == 0.3
    shown = " ".join(run("contest", "settings", NAME).split())
    assert "epsilon (fixed) │ 0.3" in shown
    done = told("contest", "change", NAME, "title=Which: this?", "skip=no", "votes_per_visit=7")
    now = told("contest", "settings", NAME)
    assert now["epoch"] == done["epoch"]
    assert [now["settings"][key] for key in ("title", "skip", "votes_per_visit")] == [
        "Which: this?", False, 7,
    ]  # fmt: skip
    run("contest", "change", NAME, "votes_per_visit=")
    assert told("contest", "settings", NAME)["settings"]["votes_per_visit"] is None
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
    Path("drawing.svg").write_text(drawing)
    Path("change.yaml").write_text("context:\n  text: An office\n  image: drawing.svg\n")
    run("contest", "change", NAME, "--file", "change.yaml")
    context = told("contest", "settings", NAME)["settings"]["context"]
    assert context["image"] == hashlib.sha256(drawing.encode()).hexdigest()
    run("contest", "change", NAME, "listed=false")
    assert told("contest", "settings", NAME)["settings"]["context"] == context
    assert "delta cannot change any more" in refused("contest", "change", NAME, "delta=0.2")
    assert "colour" in refused("contest", "change", NAME, "colour=red")
    assert "is not KEY=VALUE" in refused("contest", "change", NAME, "title")
    assert "either KEY=VALUE or --file" in refused("contest", "change", NAME)
    Path("change.yaml").write_text("title: Fine\ncolour: red\n")
    assert "change.yaml, line 2" in refused("contest", "change", NAME, "--file", "change.yaml")
    Path("change.yaml").write_text("")
    assert "There are none" in refused("contest", "change", NAME, "--file", "change.yaml")


# Raters


def raters_in(what="votes"):
    text = run("contest", "export", NAME, "--what", what)
    return [(row["rater"], row["counted"]) for row in csv.DictReader(io.StringIO(text))]


def test_a_rater_is_excluded_readmitted_erased(contest):
    vote("votes.db", 1)
    [(rater, _)] = set(raters_in())
    assert told("contest", "exclude-rater", NAME, rater)["state"] == "open"
    assert {counted for _, counted in raters_in()} == {"no"}
    run("contest", "readmit-rater", NAME, rater)
    assert {counted for _, counted in raters_in()} == {"yes"}
    vote("votes.db", 2)
    both = {known for known, _ in raters_in()} - {rater}
    before = told("contest", "trail", NAME)["epoch"]
    done = told("contest", "exclude-rater", NAME, *both)
    assert done["epoch"] == before + 1
    assert {known for known, counted in raters_in() if counted == "no"} == both
    run("contest", "undo", NAME, done["position"])
    assert {counted for _, counted in raters_in()} == {"yes"}
    run("contest", "exclude-rater", NAME, *both)
    run("contest", "erase-rater", NAME, rater)
    assert {known for known, counted in raters_in() if counted == "no"} == {"erased-0", *both}
    assert "no rater" in refused("contest", "erase-rater", NAME, rater)
    assert "32 characters" in refused("contest", "exclude-rater", NAME, "somebody")


def external_vote(external):
    with working("votes.db", now_ms) as worker:
        rater = worker.worker.signer(NAME).external_rater(external)
        assert isinstance(rater, RaterId)
        worker.vote_once(rater, lambda item: 1)


@pytest.mark.parametrize("place", ["environment", "option", "beside"])
def test_a_rater_by_the_id_that_came_with_the_link(contest, place, monkeypatch):
    external_vote("pupil 17")
    vote("votes.db", 1)
    more = []
    if place == "environment":
        monkeypatch.setenv("PLAUDIT_SECRET", SECRET)
    elif place == "option":
        Path("my.secret").write_text(SECRET + "\n")
        more = ["--secret-file", "my.secret"]
    else:
        Path("votes.db.secret").write_text(SECRET)
    assert "no rater" in refused("contest", "exclude-rater", NAME, "pupil 17", *more)
    assert "no rater" in refused("contest", "exclude-rater", NAME, "17", "--external", *more)
    run("contest", "exclude-rater", NAME, "pupil 17", "--external", *more)
    assert [counted for _, counted in raters_in()] == ["no"] + ["yes"] * 5
    run("contest", "readmit-rater", NAME, "pupil 17", "--external", *more)
    run("contest", "erase-rater", NAME, "pupil 17", "--external", *more)
    assert raters_in()[0] == ("erased-0", "no")
    assert "no rater" in refused("contest", "erase-rater", NAME, "pupil 17", "--external", *more)


def test_codes_are_made_shown_and_revoked(contest, monkeypatch):
    monkeypatch.setenv("PLAUDIT_SECRET", SECRET)
    run("contest", "change", NAME, "door=codes")
    run("contest", "codes", "make", NAME, 3)
    with working("votes.db", now_ms) as worker:
        worker.vote_once(worker.worker.door(NAME).ids.coded_rater(2), lambda item: 1)
    shown = told("contest", "codes", "show", NAME, "--url", "https://vote.example/")
    assert (shown["made"], shown["used"], shown["unused"], shown["revoked"]) == (3, 1, 2, 0)
    rows = list(csv.DictReader(io.StringIO(run("contest", "codes", "show", NAME, "--first", 2))))
    assert [row["state"] for row in rows] == ["used", "unused"]
    text = shown["codes"][1]["code"]
    assert shown["codes"][1]["link"] == f"https://vote.example/c/{NAME}?code={text}"
    run("contest", "codes", "revoke", NAME, text.lower(), 3)
    states = [code["state"] for code in told("contest", "codes", "show", NAME)["codes"]]
    assert states == ["unused", "revoked", "revoked"]
    assert [counted for _, counted in raters_in()] == ["yes"]
    run("contest", "exclude-rater", NAME, text, "--code", "--grounds", "door")
    assert [counted for _, counted in raters_in()] == ["no"]
    run("contest", "codes", "reinstate", NAME, 3)
    assert told("contest", "codes", "show", NAME)["revoked"] == 1
    assert "There is no code 4" in refused("contest", "codes", "revoke", NAME, 4)
    assert "neither the number" in refused("contest", "codes", "revoke", NAME, "0000-0000-0000")
    assert "at most 100,000" in refused("contest", "codes", "make", NAME, 100_000)
    assert "not both" in refused("contest", "exclude-rater", NAME, "1", "--code", "--external")


def test_the_list_and_the_key_of_links_are_changed(contest, monkeypatch):
    monkeypatch.setenv("PLAUDIT_SECRET", SECRET)
    Path("class.csv").write_text("id,name\nS-1,Ann\nS-2,Bo\n", encoding="utf-8")
    Path("left.txt").write_text("S-2\n", encoding="utf-8")
    Path("latin.txt").write_bytes("Jos\xe9".encode("latin-1"))
    run("contest", "guests", "add", NAME, "class.csv")
    run("contest", "guests", "remove", NAME, "left.txt")
    assert "Nothing to change" in refused("contest", "guests", "remove", NAME, "left.txt")
    assert "not UTF-8" in refused("contest", "guests", "add", NAME, "latin.txt")
    first = told("contest", "link-key", "show", NAME)
    run("contest", "link-key", "change", NAME)
    second = told("contest", "link-key", "show", NAME)
    assert (first["number"], second["number"]) == (0, 1)
    assert run("contest", "link-key", "show", NAME).strip() == second["key"] != first["key"]
    said = json.dumps(told("contest", "trail", NAME))
    assert "put 2 ids on the list" in said
    assert "S-1" not in said


def test_the_door_says_who_came_and_who_did_not(contest):
    vote("votes.db", 1)
    assert "1 raters by not known" in run("contest", "door", NAME)
    assert told("contest", "door", NAME) == {
        "name": NAME, "door": "open", "raters": {"unknown": 1}, "turned_away": [],
    }  # fmt: skip


def test_external_ids_take_the_right_secret(contest, monkeypatch):
    external_vote("pupil 17")
    said = refused("contest", "erase-rater", NAME, "pupil 17", "--external")
    assert "PLAUDIT_SECRET" in said
    assert not Path("votes.db.secret").exists(), "a new secret would be the wrong one"
    monkeypatch.setenv("PLAUDIT_SECRET", "another secret, as long as it has to be")
    assert "no rater" in refused("contest", "erase-rater", NAME, "pupil 17", "--external")
    monkeypatch.setenv("PLAUDIT_SECRET", "short")
    assert "too short" in refused("contest", "erase-rater", NAME, "pupil 17", "--external")
    more = ["--external", "--secret-file", "nothing"]
    assert "no secret in" in refused("contest", "erase-rater", NAME, "pupil 17", *more)


# Exports


@pytest.mark.parametrize("what", ["contest", "votes", "items", "summary"])
def test_exports_go_to_files_packed_files_and_the_output(contest, what):
    vote("votes.db", 2)
    command = ["contest", "export", NAME, "--what", what]
    shown = CliRunner().invoke(main, command).stdout_bytes
    assert len(shown.splitlines()) > 5
    run("contest", "export", NAME, "--what", what, "--out", "plain")
    assert Path("plain").read_bytes() == shown
    done = told("contest", "export", NAME, "--what", what, "--out", "packed.gz")
    assert gzip.decompress(Path("packed.gz").read_bytes()) == shown
    assert done == {
        "name": NAME, "what": what, "file": "packed.gz",
        "bytes": Path("packed.gz").stat().st_size,
    }  # fmt: skip
    assert not list(Path().glob("*.part"))


def test_exports_that_cannot_be_written(contest):
    assert "--out" in refused("contest", "export", NAME, "--json")
    assert "Cannot write" in refused("contest", "export", NAME, "--out", "no/such/folder")
    Path("captions.txt").write_text("=1+1\nplain\nother\n")
    Path("contest.yaml").write_text(FILE.replace("captions\n", "sums\n", 1) + "top: 1\n")
    run("contest", "create", "contest.yaml")
    sums = ("contest", "export", "sums", "--what", "items")
    assert ",=1+1," not in run(*sums, "--spreadsheet")
    assert ",=1+1," in run(*sums)
    thumbs = FILE.replace("captions\n", "thumbs\n", 1).replace("funny", "thumbs")
    Path("contest.yaml").write_text(thumbs)
    run("contest", "create", "contest.yaml")
    assert "three levels" in refused("contest", "export", "thumbs", "--what", "summary")


def test_a_contest_moves_to_another_database(contest):
    vote("votes.db", 2)
    run("contest", "export", NAME, "--out", "whole.jsonl.gz")
    assert "already" in refused("contest", "restore", "whole.jsonl.gz")
    back = told("contest", "restore", "whole.jsonl.gz", "--database", "other.db")
    assert (back["name"], back["state"], back["position"]) == (NAME, "open", 12)
    again = run("contest", "export", NAME, "--database", "other.db")
    assert again.encode() == gzip.decompress(Path("whole.jsonl.gz").read_bytes())
    Path("cut").write_bytes(Path("whole.jsonl.gz").read_bytes()[:-20])
    assert "damaged" in refused("contest", "restore", "cut", "--database", "third.db")
    assert not list(Path().glob("third.db*")), "what fails leaves nothing behind"
    assert "is back, open" in run("contest", "restore", "whole.jsonl.gz", "--database", "fourth.db")


# Verdicts


def test_no_verdict_yet(contest):
    out = run("contest", "verdict", NAME, "--certificate", "c.json", code=1)
    assert "Not yet" in out
    assert not Path("c.json").exists()
    answer = told("contest", "verdict", NAME, code=1)
    assert [lane["decided"] for lane in answer["lanes"]] == [False]


def test_the_verdict(decided, monkeypatch):
    monkeypatch.chdir(decided)
    answer = told("contest", "verdict", NAME, "--database", "votes.db")
    assert answer["lanes"][0]["winners"] == [2]
    assert "90 % confidence" in answer["lanes"][0]["sentence"]
    assert "caption 2" in run("contest", "verdict", NAME, "--database", "votes.db")
    assert told("contest", "list", "--database", "votes.db")["contests"][0]["verdicts"] == 1
    more = ("--database", "votes.db", "--certificate", "no/such/folder")
    assert "Cannot write" in refused("contest", "verdict", NAME, *more)


def test_a_verdict_is_not_taken_back_unseen(decided, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(decided / "votes.db", "votes.db")
    monkeypatch.setenv("PLAUDIT_DATABASE", "votes.db")
    raters = list(dict.fromkeys(rater for rater, _ in raters_in()))
    before = told("contest", "trail", NAME)["epoch"]
    said = refused("contest", "exclude-rater", NAME, raters[0], "--grounds", "speed")
    assert "take back the verdict of" in said
    assert "names item i3." in said
    assert "--revoke-verdict" in said
    assert told("contest", "trail", NAME)["epoch"] == before
    given = (raters[0], "--grounds", "speed", "--revoke-verdict")
    assert told("contest", "exclude-rater", NAME, *given)["epoch"] == before + 1
    step = told("contest", "trail", NAME)["steps"][0]
    assert step["what"] == "excluded rater 0 because of their speed"
    assert "luck" in refused("contest", "exclude-rater", NAME, raters[1], "--grounds", "luck")


def test_the_grounds_are_those_of_the_service():
    assert contest_raters.GROUNDS == grounds.GROUNDS


def test_the_verdict_says_what_it_owes_to_excluded_raters(contest, monkeypatch):
    vote("votes.db", 1)
    [(rater, _)] = set(raters_in())
    run("contest", "exclude-rater", NAME, rater)
    with working("votes.db", now_ms) as worker:
        while not worker.live.verdict_due() and not worker.live.all_decided:
            voter = worker.new_rater()
            while worker.vote_once(voter, lambda item: 2 if item == 2 else 0) is not None:
                pass
        worker.until_decided()
    owed = "The same with or without the excluded rater."
    assert owed in " ".join(run("contest", "verdict", NAME, "--certificate", "c.json").split())
    [lane] = told("contest", "verdict", NAME)["lanes"]
    assert lane["exclusions"] == {"raters": 1, "by_votes": 1, "same": True, "sentence": owed}
    run("contest", "export", NAME, "--out", "c.jsonl")
    assert f"what it owes to excluded raters: {owed}" in run("verify", "c.json", "c.jsonl")


# Certificates


def verify(folder, certificate, *, code=0, export="contest.jsonl.gz"):
    (folder / "said.json").write_text(json.dumps(certificate))
    return told("verify", folder / "said.json", folder / export, code=code)


@pytest.fixture
def certificate(decided):
    return json.loads((decided / "certificate.json").read_text())


def test_a_true_certificate_holds(decided, certificate):
    answer = verify(decided, certificate)
    assert answer["holds"] is True
    assert all(check["agrees"] for check in answer["checks"])
    said = run("verify", decided / "certificate.json", decided / "contest.jsonl.gz")
    assert said.endswith("The certificate holds.\n")
    assert "DIFFERS" not in said


def _another(value):
    if isinstance(value, bool | str):
        return "0" * 64
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 0.5 + 0.1
    if isinstance(value, dict):
        return value | {"delta": 0.001} if value else {"1": [0]}
    if value and isinstance(value[0], list):
        return [[value[0][0] + 1, *value[0][1:]], *value[1:]]
    return [*value[1:], _another(value[0])] if value else [1]


UNCHECKED = {"format", "plaudit"}
KEYS = [
    "contest", "settings", "lane", "algorithm", "judged_at", "epoch", "digest", "initial_items",
    "items", "withdrawn", "absent", "joined", "pools", "excluded", "counts", "winners", "delta",
    "epsilon", "top", "votes", "gap", "lower", "upper", "stopping", "exclusions",
    "tolerance", "withstands", "checkpoint", "origin", "items_digest", "raters_digest", "signature",
]  # fmt: skip


def test_everything_that_a_certificate_says_is_checked(certificate):
    assert sorted(KEYS) == sorted(certificate.keys() - UNCHECKED)


@pytest.mark.parametrize("key", KEYS)
def test_a_lie_is_caught(decided, certificate, key):
    certificate[key] = _another(certificate[key])
    answer = verify(decided, certificate, code=1)
    assert answer["holds"] is False
    said = run("verify", decided / "said.json", decided / "contest.jsonl.gz", code=1)
    assert "DIFFERS" in said
    assert "does NOT hold" in said


@pytest.mark.parametrize("key", KEYS)
def test_half_a_certificate_is_refused(decided, certificate, key):
    for wrong in ({}, "half", None, [[]], -1):
        given = {**certificate, key: wrong}
        if key in ("delta", "gap", "withstands") and wrong is None:
            continue
        if wrong == certificate[key]:
            continue
        (decided / "said.json").write_text(json.dumps(given))
        result = CliRunner().invoke(
            main, ["verify", str(decided / "said.json"), str(decided / "contest.jsonl.gz")]
        )
        assert result.exit_code in (1, 2), (key, wrong)
        assert isinstance(result.exception, SystemExit), (key, wrong)
    del certificate[key]
    (decided / "said.json").write_text(json.dumps(certificate))
    assert key in refused("verify", decided / "said.json", decided / "contest.jsonl.gz")


def test_what_is_no_certificate(decided, tmp_path):
    for text in ("", "[]", "{}", "no", '{"format": "plaudit certificate 9"}', "[" * 100_000):
        (tmp_path / "no.json").write_text(text)
        said = refused("verify", tmp_path / "no.json", decided / "contest.jsonl.gz")
        assert "not a certificate" in said


def tampered(folder, change):
    """The export with one line changed, and its sum made right."""
    lines = gzip.decompress((folder / "contest.jsonl.gz").read_bytes()).splitlines(keepends=True)
    body = b"".join(change(lines[:-1]))
    footer = json.loads(lines[-1]) | {"sha256": hashlib.sha256(body).hexdigest()}
    (folder / "tampered.jsonl").write_bytes(body + json.dumps(footer).encode() + b"\n")


def _flip_a_vote(lines):
    at = next(k for k, line in enumerate(lines) if line.startswith(b'["entry",9,'))
    entry = json.loads(lines[at])
    entry[6] = 2 - entry[6]
    changed = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
    return [*lines[:at], changed, *lines[at + 1 :]]


def _swap_captions(lines):
    return [line.replace(b"caption 2", b"caption X") for line in lines]


@pytest.mark.parametrize("change", [_flip_a_vote, _swap_captions])
def test_a_tampered_export_is_caught(decided, change):
    tampered(decided, change)
    said = refused("verify", decided / "certificate.json", decided / "tampered.jsonl")
    assert "damaged" in said


def test_the_export_of_another_contest(decided, folder):
    Path("contest.yaml").write_text(FILE.replace("captions\n", "others\n", 1))
    run("contest", "create", "contest.yaml")
    run("contest", "export", "others", "--out", "others.jsonl")
    certificate = decided / "certificate.json"
    assert "DIFFERS  contest" in run("verify", certificate, "others.jsonl", code=1)
    Path("junk").write_text("junk")
    assert "damaged" in refused("verify", certificate, "junk")


# Keys


def test_keys(folder):
    key = run("key", "create", "newsroom", "--scope", "read", "--scope", "manage").strip()
    assert re.fullmatch(r"plaudit_[\w-]{43}", key)
    other = told("key", "create", "panel", "--scope", "raters")
    assert (other["name"], other["scopes"]) == ("panel", ["raters"])
    assert run("key", "list") == "newsroom: read, manage\npanel: raters\n"
    assert told("key", "list")["keys"][1] == {"name": "panel", "scopes": ["raters"]}
    assert key.encode() not in Path("votes.db").read_bytes()
    assert "no longer" in run("key", "drop", "newsroom")
    assert told("key", "drop", "panel") == {"name": "panel", "dropped": True}
    assert run("key", "list") == ""


def test_a_misspelt_key_is_not_taken_for_dropped(folder):
    open_store("votes.db").close()
    open_store("votes.db").close()
    assert "no keys" in refused("key", "drop", "newsroom")
    run("key", "create", "newsroom", "--scope", "read")
    assert "Did you mean 'newsroom'?" in refused("key", "drop", "newsrom")
    assert "newsroom" in run("key", "list")
    refused("key", "create", "newsroom")
    refused("key", "create", "newsroom", "--scope", "everything")


def test_a_key_made_again_replaces_the_first(folder):
    first = run("key", "create", "newsroom", "--scope", "read")
    assert run("key", "create", "newsroom", "--scope", "export") != first
    assert run("key", "list") == "newsroom: export\n"


# The documentation


def commands(command=main, path=()):
    context = click.Context(command)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*path, name))
    else:
        yield path, command


DOCUMENTED = [(" ".join(path), command) for path, command in commands()]


@pytest.mark.parametrize(("words", "command"), DOCUMENTED, ids=[words for words, _ in DOCUMENTED])
def test_every_verb_and_option_is_documented(words, command):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    verb, _, inner = words.partition(" ")
    assert verb in VERBS
    section = re.search(rf"^## plaudit {verb}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert section, f"no section for {verb}"
    if inner:
        assert f"`{inner}" in section[1], f"{words} is not named"
    for parameter in command.params:
        names = [name for name in parameter.opts if name.startswith("-")]
        if names and names != ["--json"]:
            assert any(f"`{name}" in section[1] or f"{name}`" in section[1] for name in names), (
                names
            )
