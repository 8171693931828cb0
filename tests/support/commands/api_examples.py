"""Writes the examples of the API: what a real service is asked and answers, call by call.

    python tests/support/commands/api_examples.py

Each call of the API is made once, in an order in which it works. Names, times and keys differ from
run to run; a test compares the rest with the file that the service shows at /docs.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.store import open_store
from plaudit.store.people import ApiKey
from plaudit.web.api.openapi import EXAMPLES
from plaudit.web.app import Serving, make_app

KEY = "plaudit_example_key"
HOLDER = {"authorization": f"Bearer {KEY}"}
CAPTIONS = ["He melted into the role", "Cold feet again", "Ice to meet you", "Snow way out"]
PROPOSALS = ["An iceberg ahead of his time", "Melting is a state of mind"]
SNOWMAN = "/api/v1/contests/snowman"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect/></svg>'
# An answer that is longer is cut where a list has shown enough.
MOST_SHOWN = 2


class Tour:
    """Makes calls and notes what was sent and what came back."""

    def __init__(self, site: TestClient) -> None:
        self.site = site
        self.notes: dict[str, dict[str, Any]] = {}

    def call(self, name: str, method: str, path: str, *, key: bool = True, **sent: Any) -> Any:
        """One call; it must succeed."""
        headers = (HOLDER if key else {}) | sent.pop("headers", {})
        answer = self.site.request(method, path, headers=headers, **sent)
        assert answer.is_success, (name, answer.status_code, answer.text)
        is_json = answer.headers["content-type"].startswith("application/json")
        is_text = answer.headers["content-type"].startswith("text/")
        note: dict[str, Any] = {"path": path}
        if "json" in sent:
            note["body"] = sent["json"]
        if is_json:
            note["answer"] = _short(answer.json())
        elif is_text:
            note["answer"] = answer.text
        self.notes.setdefault(name, note)
        return answer.json() if is_json else answer.content


def _short(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _short(value) for name, value in found.items()}
    return [_short(one) for one in found[:MOST_SHOWN]] if isinstance(found, list) else found


def _running(tour: Tour) -> None:
    """Makes a contest, changes it, and opens it."""
    contest = {"name": "snowman", "title": "The snowman", "top": 1, "epsilon": 0.05}
    items = [{"text": text} for text in CAPTIONS]
    tour.call("create", "POST", "/api/v1/contests", json={**contest, "items": items})
    tour.call("list_contests", "GET", "/api/v1/contests")
    tour.call("show_settings", "GET", f"{SNOWMAN}/settings")
    tour.call(
        "change_settings", "POST", f"{SNOWMAN}/settings", json={"set": {"thanks": "See you!"}}
    )
    new = {"items": [{"text": "Frosty reception"}, {"text": "Frosty receptions"}]}
    tour.call("add_items", "POST", f"{SNOWMAN}/items", json=new)
    tour.call("step", "POST", f"{SNOWMAN}/step", json={"step": "open"})
    tour.call("change_settings", "POST", f"{SNOWMAN}/settings", json={"set": {"proposals": "held"}})


def _rating(tour: Tour) -> str:
    """Some raters; the last one's receipt."""
    receipt = ""
    for number in range(3):
        made = tour.call("new_rater", "POST", f"{SNOWMAN}/raters", key=False, json={})
        tour.site.cookies.clear()
        who = {"x-plaudit-rater": made["rater"]}
        asked = tour.call(
            "ask", "POST", f"{SNOWMAN}/ask", key=False, headers=who, json={"count": 4}
        )
        tickets = [one["ticket"] for one in asked["items"]]
        for ticket in tickets[:2]:
            said = {"ticket": ticket, "level": 2 - number % 3, "response_ms": 2400}
            done = tour.call("vote", "POST", f"{SNOWMAN}/votes", key=False, headers=who, json=said)
            receipt = done["receipt"]
        body: dict[str, Any] = {"ticket": tickets[2], "response_ms": 900}
        tour.call("skip", "POST", f"{SNOWMAN}/skips", key=False, headers=who, json=body)
        body = {"ticket": tickets[3], "reason": "duplicate"}
        tour.call("flag", "POST", f"{SNOWMAN}/flags", key=False, headers=who, json=body)
        _propose(tour, who, PROPOSALS[2 * number : 2 * number + 2])
    tour.call("show_contest", "GET", SNOWMAN, key=False)
    tour.call("results", "GET", f"{SNOWMAN}/results")
    return receipt


def _propose(tour: Tour, who: dict[str, str], texts: Sequence[str]) -> None:
    """A rater proposes items, and looks what became of them."""
    path = f"{SNOWMAN}/proposals"
    for text in texts:
        tour.call("propose", "POST", path, key=False, headers=who, json={"text": text})
    tour.call("show_own_proposals", "GET", f"{path}/own", key=False, headers=who)


def _moderating(tour: Tour) -> None:
    """Proposals, items and raters, and a step taken back."""
    waiting = tour.call("show_proposals", "GET", f"{SNOWMAN}/proposals")
    first, second = (one["proposal"] for one in waiting["proposals"][:2])
    taken = {"proposals": [{"proposal": first, "text": "An iceberg ahead of its time"}]}
    tour.call("take_proposals", "POST", f"{SNOWMAN}/proposals/take", json=taken)
    refused = {"proposals": [second], "reason": "unclear", "note": "Which state?"}
    tour.call("refuse_proposals", "POST", f"{SNOWMAN}/proposals/refuse", json=refused)
    tour.call("withdraw", "POST", f"{SNOWMAN}/withdraw", json={"items": [3]})
    tour.call("bring_back", "POST", f"{SNOWMAN}/bring-back", json={"items": [3]})
    tour.call("merge", "POST", f"{SNOWMAN}/merge", json={"items": [4, 5]})
    edit = {"item": 1, "text": "Cold feet, again", "votes": "keep"}
    tour.call("edit", "POST", f"{SNOWMAN}/edit", json=edit)
    votes = tour.call("export", "GET", f"{SNOWMAN}/export/votes.csv").decode().splitlines()
    rater = votes[1].split(",")[votes[0].split(",").index("rater")]
    other = votes[-1].split(",")[votes[0].split(",").index("rater")]
    exclude = {"rater": rater, "grounds": "votes"}
    tour.call("exclude", "POST", f"{SNOWMAN}/raters/exclude", json=exclude)
    tour.call("readmit", "POST", f"{SNOWMAN}/raters/readmit", json={"rater": rater})
    tour.call("erase", "POST", f"{SNOWMAN}/raters/erase", json={"rater": other})
    trail = tour.call("show_trail", "GET", f"{SNOWMAN}/trail?limit=5")
    edited = next(one for one in trail["steps"] if one["position"] and not one["fixed"])
    tour.call("undo", "POST", f"{SNOWMAN}/undo", json={"position": edited["position"]})
    tour.call("verdicts", "GET", f"{SNOWMAN}/verdicts")


def _guarding(tour: Tour) -> None:
    """The door of a contest."""
    tour.call("make_codes", "POST", f"{SNOWMAN}/codes", json={"count": 30})
    tour.call("show_codes", "GET", f"{SNOWMAN}/codes?limit=2")
    tour.call("revoke_codes", "POST", f"{SNOWMAN}/codes/revoke", json={"codes": [7]})
    tour.call("reinstate_codes", "POST", f"{SNOWMAN}/codes/reinstate", json={"codes": [7]})
    tour.call("change_list", "POST", f"{SNOWMAN}/list", json={"add": ["panel-17", "panel-18"]})
    tour.call("show_link_key", "GET", f"{SNOWMAN}/link-key")
    tour.call("change_link_key", "POST", f"{SNOWMAN}/link-key", json={})
    tour.call("show_door", "GET", f"{SNOWMAN}/door")


def _telling(tour: Tour) -> None:
    """Notices; the address is one that no network has."""
    hook = {"way": "webhook", "address": "https://hooks.example/plaudit", "kinds": ["verdict"]}
    made = tour.call("add_destination", "POST", f"{SNOWMAN}/destinations", json=hook)
    tour.call("show_destinations", "GET", f"{SNOWMAN}/destinations")
    sent = tour.call("show_deliveries", "GET", f"{SNOWMAN}/deliveries")["deliveries"]
    again = {"number": sent[0]["number"]}
    tour.call("send_again", "POST", f"{SNOWMAN}/deliveries/again", json=again)
    gone = {"number": made["destination"]["number"]}
    tour.call("remove_destination", "POST", f"{SNOWMAN}/destinations/remove", json=gone)


def _proving(tour: Tour, receipt: str) -> None:
    """What outsiders can check."""
    tour.call("show_keys", "GET", "/api/v1/keys", key=False)
    tour.call("checkpoint", "GET", f"{SNOWMAN}/checkpoint", key=False)
    page = tour.call("checkpoints", "GET", f"{SNOWMAN}/checkpoints?limit=2", key=False)
    sizes = sorted(one["size"] for one in page["checkpoints"])
    first, second = sizes[0], sizes[-1]
    grown = f"{SNOWMAN}/proofs/consistency?from={first}&to={second}"
    tour.call("consistency", "GET", grown, key=False)
    held = f"{SNOWMAN}/proofs/inclusion?position=0&size={second}"
    tour.call("inclusion", "GET", held, key=False)
    said = {"receipt": receipt}
    tour.call("check_receipt", "POST", f"{SNOWMAN}/receipts", key=False, json=said)
    tour.call("witnessed", "GET", "/api/v1/witnessed", key=False)


def _filing(tour: Tour) -> None:
    """Pictures and archives."""
    tour.call("put_asset", "POST", "/api/v1/assets", content=SVG)
    archive = tour.call("export", "GET", f"{SNOWMAN}/export/contest.jsonl.gz")
    with serving() as other:
        again = Tour(other)
        again.call("restore", "POST", "/api/v1/restore", content=archive)
    tour.notes |= again.notes


def serving() -> TestClient:
    """A service with an empty database, and a key that may do all."""
    database = str(Path(tempfile.mkdtemp()) / "examples.db")
    store = open_store(database)
    store.put_key(ApiKey("example", key_hash(KEY), SCOPES, 0))
    store.close()
    return TestClient(
        make_app(Serving(database, "the secret of the examples of the API", hosts=("testserver",)))
    )


def take_the_tour() -> dict[str, dict[str, Any]]:
    """Every call by its name, with what was sent and what came back."""
    with serving() as site:
        tour = Tour(site)
        _running(tour)
        receipt = _rating(tour)
        _moderating(tour)
        _guarding(tour)
        _telling(tour)
        _proving(tour, receipt)
        _filing(tour)
    return tour.notes


if __name__ == "__main__":
    found = take_the_tour()
    EXAMPLES.write_text(
        json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8"
    )
    sys.stdout.write(f"{len(found)} calls\n")
