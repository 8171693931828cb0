"""Both clients against a real service, over lines that are cut: every vote counts once."""

import asyncio
import gzip
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import plaudit.client.lines
from plaudit.client import AsyncClient, Client, ServiceError
from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.live.worker import now_ms
from plaudit.store import open_store
from plaudit.store.log import Kind
from plaudit.store.people import ApiKey
from plaudit.web.app import Serving
from support.live_worker import NAME, create
from support.network.cutting_proxy import CuttingProxy, cutting
from support.served_site import served

SECRET = "a secret for the tests of lost answers"
KEY = "plaudit_client"


class Place:
    """A service, the proxy before it, and the answers in its log."""

    def __init__(self, url: str, proxy: CuttingProxy, database: str) -> None:
        self.url = url
        self.proxy = proxy
        self._database = database

    def votes(self) -> list[tuple[int, int, int]]:
        store = open_store(self._database)
        found = [entry for entry in store.entries(NAME) if entry.kind == Kind.VOTE]
        store.close()
        return [(entry.rater, entry.item, entry.level) for entry in found]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    database = str(tmp_path_factory.mktemp("lost") / "lost.db")
    store = open_store(database)
    create(store, 40, clock=now_ms)
    store.put_key(ApiKey("all", key_hash(KEY), SCOPES, 0))
    store.close()
    with (
        served(Serving(database, SECRET, rater_rate="", address_rate="")) as url,
        cutting(url) as proxy,
    ):
        yield Place(url, proxy, database)


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the clients waited each time; they hardly do."""
    waited: list[float] = []

    async def nap(seconds: float) -> None:
        waited.append(seconds)

    lines = plaudit.client.lines
    monkeypatch.setattr(lines, "time", SimpleNamespace(sleep=waited.append))
    monkeypatch.setattr(lines, "asyncio", SimpleNamespace(sleep=nap, to_thread=asyncio.to_thread))
    return waited


# Before any answer, before its first byte, in its head, and in its body.
CUTS = [(b"/votes", None), (b"/votes", 0), (b"/votes", 20), (b"/votes", -5)]


def test_a_vote_whose_answer_was_cut_counts_once(place: Place, waits: list[float]) -> None:
    before = len(place.votes())
    with Client(place.proxy.url) as client:
        rater = client.rater(NAME)
        shown = rater.ask(1)[0]
        place.proxy.cuts, cut = [*CUTS], place.proxy.cut
        answer = rater.vote(shown, 2)
    assert place.proxy.cut == cut + len(CUTS)
    assert len(waits) == len(CUTS)
    assert (answer["item"], answer["level"], answer["answered"]) == (shown.item, 2, 1)
    assert answer["receipt"]
    assert [vote[1:] for vote in place.votes()[before:]] == [(shown.item, 2)]


def test_many_votes_at_once_on_a_bad_line_count_once_each(place: Place) -> None:
    """Twelve raters vote at the same time, and every vote loses its answer at least once."""
    before = len(place.votes())

    async def rate(client: AsyncClient, person: int) -> tuple[int, int]:
        rater = await client.rater(NAME, external=f"person {person}")
        shown = (await rater.ask(1))[0]
        place.proxy.cuts.append((b"/votes", person % 3 * 30))
        level = person % 3
        assert (await rater.vote(shown, level))["level"] == level
        return shown.item, level

    async def all_of_them() -> list[tuple[int, int]]:
        async with AsyncClient(place.proxy.url) as client:
            return await asyncio.gather(*(rate(client, person) for person in range(12)))

    cut = place.proxy.cut
    given = asyncio.run(all_of_them())
    assert place.proxy.cut == cut + 12
    votes = place.votes()[before:]
    assert sorted(vote[1:] for vote in votes) == sorted(given)
    assert len({vote[0] for vote in votes}) == 12


def test_a_contest_from_its_making_to_its_export(place: Place, tmp_path: Path) -> None:
    made = {"title": "Tea or coffee", "name": "drinks", "items": ["tea", "coffee"],
            "scale": "thumbs", "delta": 0.2, "tolerance": 0}  # fmt: skip

    async def run() -> dict[str, Any]:
        async with AsyncClient(place.url, key=KEY) as service:
            assert (await service.create(made))["contest"] == "drinks"
            desk = service.desk("drinks")
            with pytest.raises(ServiceError, match="drinks"):
                await service.create(made)
            await desk.add_items(["milk"])
            await desk.step("open")
            seen = []
            async for results in service.watch("drinks", every=0.01):
                seen.append(results)
                if len(seen) == 1:
                    rater = await service.rater("drinks")
                    receipt = (await rater.vote((await rater.ask(1))[0], 1))["receipt"]
                elif results["votes"] and results["state"] == "open":
                    state = (await service.contest("drinks"))["state"]
                    await (desk.step("close") if state == "open" else asyncio.sleep(0))
            assert (seen[0]["votes"], seen[-1]["votes"]) == (0, 1)
            assert seen[-1]["state"] == "closed"
            assert (await service.check_receipt(receipt))["in_log"]
            assert (await desk.export("items.csv")).count(b"\n") == 4
            assert b"position,time" in await desk.export("votes.csv", spreadsheet=True)
            await desk.save_export(tmp_path / "drinks.jsonl.gz")
            assert await desk.certificates() == []
            assert await desk.verify() == []
            with pytest.raises(ServiceError, match="nothing"):
                await desk.save_export(tmp_path / "nothing", "nothing")
            return await service.contest("drinks")

    assert asyncio.run(run())["items"] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["drinks.jsonl.gz"]
    whole = (tmp_path / "drinks.jsonl.gz").read_bytes()
    assert b"Tea or coffee" in gzip.decompress(whole)
    with Client(place.url, key=KEY) as service, pytest.raises(ServiceError) as there:
        service.restore(whole)
    assert there.value.code == "contest_exists"


def test_a_download_that_breaks_off_begins_again(place: Place, tmp_path: Path) -> None:
    with Client(place.proxy.url, key=KEY) as service:
        desk = service.desk(NAME)
        place.proxy.cuts = [(b"/export/", 700), (b"/export/", 0)]
        desk.save_export(tmp_path / "items.csv", "items.csv")
        assert not place.proxy.cuts
        assert (tmp_path / "items.csv").read_bytes() == desk.export("items.csv")


def test_proofs_are_read_by_the_client(place: Place) -> None:
    with Client(place.url, key=KEY) as service:
        assert service.keys()["keys"]
        listed = service.checkpoints(NAME, limit=2)["checkpoints"]
        assert service.checkpoint(NAME) == listed[0]["text"]
        size = listed[0]["size"]
        assert service.consistency(NAME, size)["to"] == size
        assert service.inclusion(NAME, 0, size=size)["size"] == size
        assert NAME in service.witnessed()["contests"]
