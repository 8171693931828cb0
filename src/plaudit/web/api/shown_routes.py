"""Routes that show a contest to raters: what it is about, and its results."""

from typing import Any

import msgspec

from plaudit import words
from plaudit.service.live.contest import LiveContest
from plaudit.web.endpoint import CONTEST, Answered, Call, Endpoint
from plaudit.web.heavy_work import shared
from plaudit.web.language import wished
from plaudit.web.rendering import shown
from plaudit.web.visibility import contest_for, sees_results
from plaudit.web.wire.voting import Results, ShownContest, ShownContext, ShownLevel

# Encoded results that are kept, the latest of all contests.
MOST_ENCODED = 64


def asset_url(image: str) -> str:
    """Where a picture is served, or ""."""
    return f"/assets/{image}" if image else ""


async def show_contest(call: Call) -> ShownContest:
    """A contest as raters see it."""
    live = await contest_for(call.scope, call.site)
    given = live.settings
    context = ShownContext(given.context.text, asset_url(given.context.image), given.context.alt)
    return ShownContest(
        name=live.name,
        title=given.title,
        state=live.contest.state,
        taking_answers=live.taking_answers(call.site.worker.clock()),
        context=context,
        scale=[ShownLevel(level.label, level.value) for level in given.scale],
        items=live.contest.items - len(live.contest.withdrawn),
        consent=given.consent,
        instructions=given.instructions,
        votes_per_visit=given.votes_per_visit,
        skip=given.skip,
        flag=given.flag,
        public_results=live.shows_results(call.site.worker.clock()),
        opens=given.opens,
        closes=given.closes,
        door=given.door,
        decided=live.all_decided,
        votes_after_verdict=given.votes_after_verdict,
        proposals=given.proposals,
    )


async def results(call: Call) -> Any:
    """The leaders with the intervals that the verdict uses; 304 where nothing is new."""
    site, live = call.site, await contest_for(call.scope, call.site)
    if not await sees_results(call.scope, site, live):
        await site.check_scope(call.header(b"authorization"), "read")
    limit = call.number("limit", 20, least=1, most=100)
    catalogue = wished(dict(call.scope["headers"])) or words.of_service
    found = await shared(site.results.ask(live))
    tag = f'"{found["position"]}-{live.contest.state}-{limit}-{catalogue.language}"'.encode()
    fresh = ((b"etag", tag), (b"vary", b"accept-language"))
    if call.header(b"if-none-match").encode() == tag:
        return Answered(None, 304, fresh)
    with words.speaking(catalogue):
        body = _encoded(site.encoded_results, live, found, tag, limit)
    return Answered(body, headers=fresh)


def _encoded(
    known: dict[tuple[str, bytes], msgspec.Raw],
    live: LiveContest,
    found: dict[str, Any],
    tag: bytes,
    limit: int,
) -> msgspec.Raw:
    """Results as JSON, encoded once for all who ask: the tag says all that they depend on."""
    body = known.get((live.name, tag))
    if body is None:
        lanes = [_lane(lane, limit) for lane in found["lanes"]]
        shown_now = found | {"state": live.contest.state, "lanes": lanes}
        body = known[live.name, tag] = msgspec.Raw(msgspec.json.encode(shown_now))
        while len(known) > MOST_ENCODED:
            del known[next(iter(known))]
    return body


def _lane(lane: dict[str, Any], limit: int) -> dict[str, Any]:
    leaders = [leader | {"image": asset_url(leader["image"])} for leader in lane["leaders"][:limit]]
    owed = lane["exclusions"]
    owed = owed and owed | {"sentence": shown(owed["sentence"])}
    return lane | {"leaders": leaders, "sentence": shown(lane["sentence"]), "exclusions": owed}


ENDPOINTS = (
    Endpoint(
        "GET", CONTEST + "/results", results, gives=Results, errors=(400, 401, 403, 404),
        query=(("limit", "How many leaders, 1 to 100.", {"type": "integer", "minimum": 1,
                                                         "maximum": 100}),),
    ),
    Endpoint("GET", CONTEST, show_contest, gives=ShownContest, errors=(404,)),
)  # fmt: skip
