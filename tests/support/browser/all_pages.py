"""A service with contests in every state, and the addresses of all its pages.

`PAGES` has every route that answers with a page, and `NO_PAGES` every other: a test compares both
with the routes of the app, so that a new page is looked at too.
"""

import time
from typing import Any

import numpy as np

from plaudit import demo
from plaudit.service.desk.desk import Desk
from plaudit.service.intake.contest_file import read_contest
from plaudit.store import open_store
from plaudit.store.log import NONE, Answer, Kind

CAPTIONS = demo.captions_file().read_text("utf-8").splitlines()
# Whoever watches a contest without a slack makes the service simulate for half a minute.
SLACK = 0.1
NEAR = ["Don't get up!", "Dont get up", "don’t get up!!"]
DESK = "/desk/contests/{contest}"
# For each route, the addresses at which it is looked at.
PAGES: dict[str, tuple[str, ...]] = {
    "/": ("/",),
    "/c/{contest}": (
        "/c/running", "/c/paused", "/c/later", "/c/ended", "/c/decided", "/c/codes", "/c/members",
    ),
    "/c/{contest}/wait": ("/c/running/wait", "/c/fresh/wait"),
    "/c/{contest}/results": tuple(
        f"/c/{name}/results" for name in ("running", "quiet", "ended", "decided", "fresh")
    ),
    "/c/{contest}/suggest": ("/c/running/suggest", "/c/ended/suggest"),
    "/c/{contest}/certificate": ("/c/decided/certificate",),
    "/c/{contest}/receipts": ("/c/running/receipts",),
    "/c/{contest}/proof": ("/c/decided/proof", "/c/fresh/proof"),
    "/desk": ("/desk",),
    "/desk/sign-in": ("/desk/sign-in",),
    "/desk/welcome/{token}": ("/desk/welcome/nobody",),
    "/desk/account": ("/desk/account",),
    "/desk/people": ("/desk/people",),
    "/desk/keys": ("/desk/keys",),
    "/sign-in/return": ("/sign-in/return",),
    "/desk/new": ("/desk/new",),
    "/desk/preview": ("/desk/preview",),
    "/desk/forecast": (
        "/desk/forecast?items=8&top=1&epsilon=0.2&delta=0.1&raters_a_day=50&votes_a_rater=10",
    ),
    "/desk/look": ("/desk/look",),
    "/docs": ("/docs",),
    DESK: ("/desk/contests/running", "/desk/contests/decided", "/desk/contests/draft"),
    f"{DESK}/run": ("/desk/contests/running/run", "/desk/contests/decided/run"),
    f"{DESK}/door": ("/desk/contests/codes/door", "/desk/contests/running/door"),
    f"{DESK}/door/sheet": ("/desk/contests/codes/door/sheet",),
    f"{DESK}/notices": ("/desk/contests/running/notices",),
    f"{DESK}/settings": ("/desk/contests/running/settings", "/desk/contests/draft/settings"),
    f"{DESK}/poster": ("/desk/contests/running/poster",),
    f"{DESK}/items": ("/desk/contests/running/items",),
    f"{DESK}/items/add": ("/desk/contests/running/items/add",),
    f"{DESK}/items/{{number:item}}": ("/desk/contests/running/items/i1",),
    f"{DESK}/trail": ("/desk/contests/running/trail",),
    f"{DESK}/moderate": ("/desk/contests/running/moderate",),
    f"{DESK}/moderate/raters": ("/desk/contests/running/moderate/raters?rater=1&rater=2",),
    f"{DESK}/moderate/raters/{{number:small}}": ("/desk/contests/running/moderate/raters/60",),
    f"{DESK}/moderate/duplicates": ("/desk/contests/running/moderate/duplicates",),
    f"{DESK}/moderate/merge": ("/desk/contests/running/moderate/merge?numbers=i38,i39",),
    f"{DESK}/proposals": ("/desk/contests/running/proposals",),
}  # fmt: skip
# Files, figures, parts of a page that its script fetches, and a way to another site.
NO_PAGES = {
    "/c/{contest}/sign-in", "/c/{contest}/result.svg", "/desk/forecast/part", "/desk/reach/part",
    f"{DESK}/door/codes.csv", f"{DESK}/export/{{file}}", f"{DESK}/certificate/{{lane}}",
    f"{DESK}/qr.svg", f"{DESK}/board", f"{DESK}/charts/{{chart}}.svg",
    f"{DESK}/charts/{{chart}}.csv", f"{DESK}/items.csv", "/openapi.json", "/assets/{hash}",
    "/.well-known/plaudit-keys", "/healthz", "/readyz", "/metrics", "/static/shared",
    "/static/public", "/static/desk", "/static/look",
}  # fmt: skip


def fill(database: str) -> None:
    """Makes the contests, with votes, flags, proposals and one who does not read."""
    store = open_store(database)
    try:
        world = World(Desk(store, signs_in=True), store)
        world.contests()
        world.events()
    finally:
        store.close()


class World:
    """Contests in all states, written into the store of a service that starts afterwards."""

    def __init__(self, desk: Desk, store: Any) -> None:
        self.desk = desk
        self.store = store
        self.now = int(time.time() * 1000)

    def contests(self) -> None:
        """The contests, most of them open."""
        image = self.store.put_asset("image/svg+xml", demo.drawing_file().read_bytes())
        drawing = {"image": image, "alt": "A snowman in a sauna"}
        self.make("running", [*CAPTIONS[:37], *NEAR], proposals="held", top=3, context=drawing,
                  instructions="Read, then say.", votes_per_visit=3)  # fmt: skip
        for name in ("paused", "ended", "fresh", "draft"):
            # One without a slack; nobody forecasts what has ended.
            slack = 0.0 if name == "ended" else SLACK
            self.make(name, CAPTIONS[:8], opened=name != "draft", epsilon=slack)
        self.make("later", CAPTIONS[:8], opens="2099-01-01T00:00Z")
        self.make("quiet", CAPTIONS[:8], results="end")
        self.make("codes", CAPTIONS[:8], door="codes")
        self.make("members", CAPTIONS[:8], door="sign-in")
        self.make("decided", ["Minka", "Tom", "Sir Purr", "Felix"], top=2, epsilon=0.5, delta=0.2,
                  context=drawing)  # fmt: skip

    def make(self, name: str, items: list[str], *, opened: bool = True, **keys: Any) -> None:
        """One contest; keys are those of a contest file."""
        given = {"name": name, "title": f"Which is best? ({name})", "scale": "funny"}
        data = given | {"results": "always", "epsilon": SLACK, "items": items} | keys
        draft = read_contest(data, is_there=lambda hash: True)
        self.desk.create(draft.name, draft.settings, draft.items, opened=opened)

    def events(self) -> None:
        """What happened since."""
        self.vote("running", raters=60, each=12)
        self.vote("ended", raters=10, each=6)
        self.vote("decided", raters=80, each=4, best=2)
        # Somebody says the same to everything, at once; others flag, propose, are excluded.
        self.answer("running", [(60, item, Kind.VOTE, 2) for item in range(37)], took=120)
        self.answer("running", [(1, 7, Kind.FLAG, 0), (2, 7, Kind.FLAG, 1), (3, 9, Kind.FLAG, 3)])
        self.desk.withdraw("running", [4])
        self.desk.exclude("running", 5)
        for rater, text in enumerate(("He came in from the cold", "An inside job")):
            self.desk.propose("running", rater, text)
        self.desk.step("paused", "pause")
        self.desk.step("ended", "close")

    def vote(self, name: str, *, raters: int, each: int, best: int = 0) -> None:
        """Votes of people who like the first items most."""
        draw = np.random.default_rng(1)
        items = len(self.store.items(name))
        rows = []
        for rater in range(raters):
            for item in draw.permutation(items)[:each].tolist():
                liked = 0.2 + 0.6 * 0.95**item if not best else 0.9 if item < best else 0.15
                rows.append((rater, item, Kind.VOTE, int(draw.binomial(2, liked))))
        self.answer(name, rows)

    def answer(self, name: str, rows: list[tuple[int, int, int, int]], took: int = 3000) -> None:
        """Answers of raters: who, to what, of which kind, and the level or reason."""
        begun = self.now - len(rows) * 4000
        answers = [
            Answer(kind, rater.to_bytes(16, "big"), item, level, 0, begun + place * 4000,
                   took if kind == Kind.VOTE else NONE, rater.to_bytes(8, "big"))
            for place, (rater, item, kind, level) in enumerate(rows)
        ]  # fmt: skip
        self.store.append_answers(name, answers)
