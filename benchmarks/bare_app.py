"""The floor: Starlette routes that check the same bodies and answer, and do nothing else."""

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plaudit.web.wire.voting import Ask, Asked, Recorded, ShownItem, Vote

_vote = msgspec.json.Decoder(Vote).decode
_ask = msgspec.json.Decoder(Ask).decode
_encode = msgspec.json.Encoder().encode
# About as many bytes as an ask of the benchmark gets.
ASKED = [
    ShownItem(item, id=f"i{item}", text=f"Caption number {item}", image="", ticket="x" * 60)
    for item in (17, 18, 19)
]


async def vote(request: Request) -> Response:
    body = _vote(await request.body())
    answer = Recorded(item=len(body.ticket), id="i17", level=body.level, answered=1)
    return Response(_encode(answer), media_type="application/json")


async def ask(request: Request) -> Response:
    body = _ask(await request.body())
    answer = Asked(ASKED, body.count, None, None, 5)
    return Response(_encode(answer), media_type="application/json")


async def healthz(request: Request) -> Response:
    return Response("alive")


CONTEST = "/api/v1/contests/{contest}"
app = Starlette(
    routes=[
        Route(CONTEST + "/votes", vote, methods=["POST"]),
        Route(CONTEST + "/ask", ask, methods=["POST"]),
        Route("/healthz", healthz),
    ]
)
