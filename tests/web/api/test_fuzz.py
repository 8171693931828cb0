"""The API against its own document: generated requests, valid and invalid, find no fault.

Schemathesis makes the requests from /openapi.json and compares each answer with what the
document promises. The seed is fixed: the same requests on every run.
"""

import json
from collections.abc import Callable, Iterator
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from schemathesis.core.parameters import ParameterLocation

from plaudit.service.accounts.api_keys import SCOPES, key_hash
from plaudit.service.desk.desk import Desk
from plaudit.service.live.worker import now_ms
from plaudit.store import open_store
from plaudit.store.people import ApiKey
from plaudit.web.app import ENDPOINTS, Serving
from support.live_worker import NAME, create
from support.served_site import served

pytestmark = pytest.mark.slow

KEY = "plaudit_fuzz"
API = f"/api/v1/contests/{NAME}"
CHECKS = [
    allow_header_conformance,
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]
EXAMPLES = 24
# These depend on the log, which the document cannot know.
NEEDS_THE_LOG = (
    "/exclude",
    "/readmit",
    "/erase",
    "/undo",
    "/receipts",
    "/proofs/consistency",
    "/proofs/inclusion",
    "/destinations/remove",
    "/deliveries/again",
    "/proposals/take",
    "/proposals/refuse",
)
# Bodies that a document cannot make up, since they depend on the contest. Steps that end it
# would leave nothing to find out for the others.
CONTESTS = "/api/v1/contests"
FITTING: dict[str, Callable[[int], Any]] = {
    CONTESTS: lambda turn: {"title": f"Made {turn}", "items": ["one", "two", "three"]},
    f"{CONTESTS}/{{contest}}/step": lambda turn: {"step": ("pause", "open")[turn // 2 % 2]},
    f"{CONTESTS}/{{contest}}/items": lambda turn: {"items": [{"text": f"another {turn}"}]},
    f"{CONTESTS}/{{contest}}/withdraw": lambda turn: {"items": [turn]},
    f"{CONTESTS}/{{contest}}/bring-back": lambda turn: {"items": [turn]},
    f"{CONTESTS}/{{contest}}/merge": lambda turn: {"items": [100 + turn, 200 + turn]},
    f"{CONTESTS}/{{contest}}/edit": lambda turn: {
        "item": 300 + turn,
        "votes": "keep",
        "text": f"better {turn}",
    },
    f"{CONTESTS}/{{contest}}/settings": lambda turn: {"set": {"title": f"Title {turn}"}},
    f"{CONTESTS}/{{contest}}/codes": lambda turn: {"count": 1},
    f"{CONTESTS}/{{contest}}/codes/revoke": lambda turn: {"codes": [turn]},
    f"{CONTESTS}/{{contest}}/codes/reinstate": lambda turn: {"codes": [500 + turn]},
    f"{CONTESTS}/{{contest}}/proposals": lambda turn: {"text": f"{turn} ideas", "anyway": True},
    f"{CONTESTS}/{{contest}}/list": lambda turn: {"add": [f"pupil {turn}"]},
    # Nothing is sent there: it is this machine.
    f"{CONTESTS}/{{contest}}/destinations": lambda turn: {
        "way": "webhook",
        "address": f"https://127.0.0.1:9443/{turn}",
        "kinds": ["verdict"],
    },
}


class Target:
    """A service with an open contest, a rater in it, and the document that describes it."""

    def __init__(self, url: str, database: str) -> None:
        self.url = url
        self.database = database
        self.token = requests.post(f"{url}{API}/raters", json={}, timeout=30).json()["rater"]
        self.headers = {"Authorization": f"Bearer {KEY}", "X-Plaudit-Rater": self.token}
        # One connection for all requests. No cookies: each request stands for itself.
        self.line = requests.Session()
        self.line.trust_env = False
        self.line.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        self.schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
        self.codes: set[int] = set()

        # Only those who have voted may propose items.
        vote = {"ticket": self.ticket(), "level": 0}
        requests.post(f"{url}{API}/votes", json=vote, headers=self.headers, timeout=30)

    def operation(self, method: str, path: str) -> Any:
        return self.schema[path][method]

    def ticket(self) -> str:
        """A valid ticket; "" if this rater has seen all items."""
        asked = requests.post(f"{self.url}{API}/ask", json={}, headers=self.headers, timeout=30)
        items = asked.json()["items"]
        return items[0]["ticket"] if items else ""

    def open(self) -> None:
        """Opens the contest, if it was paused."""
        body = {"step": "open"}
        requests.post(f"{self.url}{API}/step", json=body, headers=self.headers, timeout=30)

    def log(self) -> Any:
        store = open_store(self.database)
        found = {record.name: store.entries(record.name) for record in store.contests()}
        store.close()
        return found


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    database = str(tmp_path_factory.mktemp("fuzz") / "fuzz.db")
    store = open_store(database)
    create(store, 500, clock=now_ms, proposals="held", proposals_each=100)
    Desk(store).make_codes(NAME, 1_000)
    Desk(store).revoke_codes(NAME, range(501, 1_001))
    store.put_key(ApiKey("all", key_hash(KEY), SCOPES, 0))
    store.close()
    secret = "a secret for requests that are made up"
    serving = Serving(database, secret, rater_rate="", address_rate="")
    with served(serving) as url:
        target = Target(url, database)
        with target.line:
            yield target


def fit(target: Target, case: Any, endpoint: Any, turn: int, wrong: set[Any]) -> None:
    """Makes the valid parts of a request refer to the contest."""
    if ParameterLocation.PATH not in wrong and "contest" in (case.path_parameters or {}):
        case.path_parameters["contest"] = NAME
    if not wrong and endpoint.path in FITTING and endpoint.takes:
        case.body = FITTING[endpoint.path](turn)
    elif not wrong and isinstance(case.body, dict) and "ticket" in case.body:
        case.body["ticket"] = target.ticket() or case.body["ticket"]


def check(target: Target, endpoint: Any, mode: GenerationMode) -> None:
    """Sends generated requests of a mode to an endpoint."""
    operation = target.operation(endpoint.method, endpoint.path)
    turn = 0

    @seed(20161130)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        nonlocal turn
        turn += 1
        wrong = {place for place, part in case.meta.components.items() if part.mode.is_negative}
        if turn % 2:
            fit(target, case, endpoint, turn, wrong)
        # Wrong headers stay as they are; query parameters that nobody knows do no harm.
        headers = None if ParameterLocation.HEADER in wrong else target.headers
        response = case.call(headers=headers, session=target.line)
        target.codes.add(response.status_code)
        refused = wrong & {ParameterLocation.BODY, ParameterLocation.PATH}
        checks = [*CHECKS, negative_data_rejection] if refused else CHECKS
        case.validate_response(response, checks=checks)

    run()


def _name(endpoint: Any) -> str:
    return f"{endpoint.method} {endpoint.path}"


# The others cannot be invalid: they take any bytes.
CAN_BE_WRONG = [
    each for each in ENDPOINTS if each.takes is not bytes and (each.takes or "{" in each.path)
]


@pytest.mark.parametrize("endpoint", CAN_BE_WRONG, ids=_name)
def test_wrong_requests_are_refused_and_change_nothing(target: Target, endpoint: Any) -> None:
    before = target.log()
    check(target, endpoint, GenerationMode.NEGATIVE)
    assert target.log() == before


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=_name)
def test_requests_as_described_are_answered_as_described(target: Target, endpoint: Any) -> None:
    target.open()
    target.codes.clear()
    check(target, endpoint, GenerationMode.POSITIVE)
    if endpoint.takes is not bytes and not endpoint.path.endswith(NEEDS_THE_LOG):
        assert target.codes & {200, 201}, "no request of this kind ever succeeded"


def test_the_document_says_what_a_contest_may_be_called(target: Target) -> None:
    document = requests.get(f"{target.url}/openapi.json", timeout=30).json()
    text = json.dumps(document["paths"]["/api/v1/contests/{contest}"]["get"]["parameters"])
    assert "pattern" in text
    files = document["paths"]["/api/v1/contests/{contest}/export/{file}"]["get"]["parameters"]
    assert files[1]["schema"]["enum"][-1] == "contest.jsonl.gz"
