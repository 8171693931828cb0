"""Calls at the desk of one contest: steps, settings, the door, the trail, exports."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

from plaudit.client.plan import Compute, Plan, Request, fetch, persist, planned
from plaudit.client.refusal import TRIES, check_answer
from plaudit.client.service_calls import given, path_of
from plaudit.errors import MissingExtra

if TYPE_CHECKING:
    from plaudit.service.archive.report import Report

ARCHIVE = "contest.jsonl.gz"
IN_MEMORY = 16 * 2**20
Done = dict[str, Any]


class DeskCalls:
    """What those do who run a contest."""

    def __init__(self, contest: str) -> None:
        self._contest = contest
        self.consent: dict[str, bool] = {}

    # Steps

    @planned
    def step(self, step: str, *, epoch: int | None = None) -> Plan[Done]:
        """Takes a step such as `open`, `pause` or `close`."""
        return self._post("step", epoch, step=step)

    @planned
    def add_items(
        self, items: Sequence[str | Mapping[str, str]], *, epoch: int | None = None
    ) -> Plan[Done]:
        """Lets items join; `id` of the answer is the id of the first.

        An item is a text, or a mapping with `text` and the hash of an `image`.
        """
        new = [{"text": item} if isinstance(item, str) else dict(item) for item in items]
        return self._post("items", epoch, items=new)

    @planned
    def withdraw(self, items: Sequence[int | str], *, epoch: int | None = None) -> Plan[Done]:
        """Takes items out, by id such as `"i8"`; a number is a position in the log, from 0."""
        return self._post("withdraw", epoch, items=list(items))

    @planned
    def bring_back(self, items: Sequence[int | str], *, epoch: int | None = None) -> Plan[Done]:
        """Brings withdrawn items back, with their votes."""
        return self._post("bring-back", epoch, items=list(items))

    @planned
    def merge(
        self,
        items: Sequence[int | str],
        *,
        text: str | None = None,
        image: str | None = None,
        epoch: int | None = None,
    ) -> Plan[Done]:
        """Replaces items that say the same by one; `id` of the answer is its id."""
        return self._post("merge", epoch, items=list(items), text=text, image=image)

    @planned
    def edit(
        self,
        item: int | str,
        text: str | None = None,
        *,
        image: str | None = None,
        keep_votes: bool,
        epoch: int | None = None,
    ) -> Plan[Done]:
        """Replaces an item by a new one, which keeps the votes or starts without any."""
        votes = "keep" if keep_votes else "anew"
        return self._post("edit", epoch, item=item, text=text, image=image, votes=votes)

    @planned
    def exclude(
        self, raters: Sequence[str], *, grounds: str = "votes", epoch: int | None = None
    ) -> Plan[Done]:
        """Lets no vote of these raters count; name raters as exports show them.

        `grounds` says why: `votes`, or without a look at votes `speed`, `address`, `robot`
        or `door`.
        """
        return self._post("raters/exclude", epoch, raters=list(raters), grounds=grounds)

    @planned
    def readmit(self, raters: Sequence[str], *, epoch: int | None = None) -> Plan[Done]:
        """Lets the votes of excluded raters count again."""
        return self._post("raters/readmit", epoch, raters=list(raters))

    @planned
    def erase(self, rater: str, *, epoch: int | None = None) -> Plan[Done]:
        """Deletes what links the votes of a rater to a person, for good."""
        return self._post("raters/erase", epoch, rater=rater)

    @planned
    def undo(self, position: int, *, epoch: int | None = None) -> Plan[Done]:
        """Undoes the step at a position of the log."""
        return self._post("undo", epoch, position=position)

    @planned
    def change(self, keys: Mapping[str, Any], *, epoch: int | None = None) -> Plan[Done]:
        """Changes settings, by the keys of a contest file."""
        return self._post("settings", epoch, set=dict(keys))

    # Proposals

    @planned
    def proposals(self, *, standing: str | None = None) -> Plan[dict[str, Any]]:
        """What raters proposed, oldest first, with items that are near those that wait.

        `standing` is `waiting`, `taken`, `refused` or `withdrawn`, if only those are wanted.
        """
        return self._get("proposals", standing=standing)

    @planned
    def take_proposals(
        self, proposals: Sequence[int] | Mapping[int, str | None], *, epoch: int | None = None
    ) -> Plan[Done]:
        """Lets proposals join as items, by number; a mapping gives some of them another text.

        `id` of the answer is the id of the first; the others follow, in the order of the numbers.
        """
        texts = proposals if isinstance(proposals, Mapping) else dict.fromkeys(proposals)
        named = [{"proposal": number, "text": text} for number, text in texts.items()]
        return self._post("proposals/take", epoch, proposals=named)

    @planned
    def refuse_proposals(
        self,
        proposals: Sequence[int],
        *,
        reason: str = "other",
        note: str = "",
        epoch: int | None = None,
    ) -> Plan[Done]:
        """Refuses proposals; their authors read the reason and the note.

        `reason` is `duplicate`, `off-topic`, `offensive`, `unclear` or `other`.
        """
        whole = {"proposals": list(proposals), "reason": reason, "note": note}
        return self._post("proposals/refuse", epoch, **whole)

    # The door

    @planned
    def make_codes(self, count: int, *, epoch: int | None = None) -> Plan[Done]:
        """Makes so many codes more; each lets one person be one rater."""
        return self._post("codes", epoch, count=count)

    @planned
    def codes(self, *, first: int = 1, limit: int = 1_000) -> Plan[dict[str, Any]]:
        """The codes with their links and states, and how many are used, unused and revoked."""
        return self._get("codes", first=first, limit=limit)

    @planned
    def revoke_codes(self, codes: Sequence[int | str], *, epoch: int | None = None) -> Plan[Done]:
        """Lets codes, by number or text, get nobody in any more; their votes stay."""
        return self._post("codes/revoke", epoch, codes=list(codes))

    @planned
    def reinstate_codes(
        self, codes: Sequence[int | str], *, epoch: int | None = None
    ) -> Plan[Done]:
        """Lets revoked codes work again."""
        return self._post("codes/reinstate", epoch, codes=list(codes))

    @planned
    def change_list(
        self, *, add: Sequence[str] = (), remove: Sequence[str] = (), epoch: int | None = None
    ) -> Plan[Done]:
        """Puts ids on the list of those who may vote, and takes others off it."""
        return self._post("list", epoch, add=list(add), remove=list(remove))

    @planned
    def link_key(self) -> Plan[dict[str, Any]]:
        """The key with which your site signs its links to the contest, and its number."""
        return self._get("link-key")

    @planned
    def change_link_key(self, *, epoch: int | None = None) -> Plan[Done]:
        """Gives the contest another key; links that the old one signed let nobody in any more."""
        return self._post("link-key", epoch)

    @planned
    def door(self) -> Plan[dict[str, Any]]:
        """Who came in how, and what the door turned away."""
        return self._get("door")

    # Reading

    @planned
    def settings(self) -> Plan[dict[str, Any]]:
        """The current settings, by the keys of a contest file, and which of them may change."""
        return self._get("settings")

    @planned
    def trail(self, *, since: int | None = None, limit: int = 100) -> Plan[dict[str, Any]]:
        """What was done to the contest, latest first; only what came after an epoch, if given."""
        return self._get("trail", limit=limit, since=since)

    @planned
    def certificates(self) -> Plan[list[dict[str, Any]]]:
        """The certificates of the contest, one a verdict, oldest first."""
        found: list[dict[str, Any]] = (yield from self._get("verdicts"))["certificates"]
        return found

    @planned
    def export(self, file: str = ARCHIVE, *, spreadsheet: bool = False) -> Plan[bytes]:
        """A file of the contest: `votes.csv`, `items.csv`, `proposals.csv` … or all of it.

        `spreadsheet` makes the cells of a CSV file safe for spreadsheet programs.
        """
        answer = yield from persist(self._export(file, spreadsheet))
        return check_answer(answer).body

    @planned
    def save_export(
        self, path: str | os.PathLike[str], file: str = ARCHIVE, *, spreadsheet: bool = False
    ) -> Plan[None]:
        """Saves a file of the contest, however large, under a path: all of it or nothing."""
        part = Path(f"{os.fspath(path)}.part")
        try:
            with part.open("wb") as into:
                request = self._export(file, spreadsheet)._replace(into=into)
                check_answer((yield from persist(request)))
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    @planned
    def verify(self, *, keys: Sequence[str] | None = None) -> Plan["list[Report]"]:
        """Replays the export here, and compares it with each certificate, oldest first.

        `keys` are the public keys of the service that you trust; without, those that the export
        lists are taken. This needs the extra `service`, and a key with `read` and `export`.
        """
        certificates = (yield from self._get("verdicts"))["certificates"]
        with SpooledTemporaryFile(IN_MEMORY) as export:
            request = self._export(ARCHIVE, False)._replace(into=export)
            check_answer((yield from persist(request)))
            reports: list[Report] = yield Compute(lambda: _verified(certificates, export, keys))
        return reports

    # Notices

    @planned
    def destinations(self) -> Plan[list[dict[str, Any]]]:
        """Where notices about the contest go."""
        found: list[dict[str, Any]] = (yield from self._get("destinations"))["destinations"]
        return found

    @planned
    def add_destination(
        self, address: str, kinds: Sequence[str], *, way: str | None = None
    ) -> Plan[dict[str, Any]]:
        """Sends notices of these kinds to a webhook's or a mail address; sent only once.

        `secret` of the answer signs what a webhook gets. It is not shown again.
        """
        chosen = way or ("webhook" if "://" in address else "mail")
        body = {"way": chosen, "address": address, "kinds": list(kinds)}
        return fetch("POST", path_of(self._contest, "destinations"), json=body, tries=1)

    @planned
    def remove_destination(self, number: int) -> Plan[dict[str, Any]]:
        """Sends nothing to a destination any more."""
        path = path_of(self._contest, "destinations", "remove")
        return fetch("POST", path, json={"number": number}, tries=1)

    @planned
    def deliveries(self, *, limit: int = 50) -> Plan[list[dict[str, Any]]]:
        """The notices that were sent or wait, latest first."""
        found: list[dict[str, Any]] = (yield from self._get("deliveries", limit=limit))[
            "deliveries"
        ]
        return found

    @planned
    def send_again(self, number: int) -> Plan[dict[str, Any]]:
        """Sends a notice once more, under the same id."""
        path = path_of(self._contest, "deliveries", "again")
        return fetch("POST", path, json={"number": number})

    def _export(self, file: str, spreadsheet: bool) -> Request:
        params = {"spreadsheet": "true"} if spreadsheet else None
        return Request("GET", path_of(self._contest, "export", file), params=params)

    def _get(self, part: str, **params: Any) -> Plan[dict[str, Any]]:
        return fetch("GET", path_of(self._contest, part), params=given(**params))

    def _post(self, part: str, epoch: int | None, **body: Any) -> Plan[Done]:
        tries = 1 if epoch is None else TRIES
        whole = body | self.consent | {"epoch": epoch}
        return fetch("POST", path_of(self._contest, part), json=whole, tries=tries)


def _verified(
    certificates: Sequence[dict[str, Any]], export: Any, keys: Sequence[str] | None
) -> "list[Report]":
    try:
        from plaudit.proof.note import read_vkey
        from plaudit.service.archive.verify import verify
    except ModuleNotFoundError:
        raise MissingExtra("Replays of contests", "service") from None
    known = None if keys is None else [read_vkey(key) for key in keys]
    reports = []
    for certificate in certificates:
        export.seek(0)
        reports.append(verify(certificate, export, known))
    return reports
