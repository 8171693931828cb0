"""All words of pages come from the catalogue, and the catalogue's template is up to date."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from starlette.testclient import TestClient

from plaudit import words
from plaudit.race.algorithms import ALGORITHMS
from plaudit.scale import FUNNY, STARS, THUMBS
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.api_keys import SCOPES
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE, Actor
from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.store import Store, open_store
from plaudit.store.contract import Item
from plaudit.store.log import Answer, Kind
from plaudit.web import browser_sessions
from plaudit.web.app import Serving, make_app
from plaudit.web.rendering import environment
from support import catalogue
from support.desk_site import SECRET, Browser, welcomed
from support.wrapped_words import bare_words, wrapped

START = 1_700_000_000_000
TEXTS = ("He melted.", "Cold feet", "Snow joke", "He melted", "Brrr")
# What a person or a standard has named, and what the store keeps in English.
OWN = (
    *TEXTS, *ALGORITHMS, *SCOPES, *FUNNY.labels, *THUMBS.labels, *STARS.labels,
    "Plaudit", "CSV", "UTC", "MB", "SVG", "k", "snowman", "draft-one", "Snowmen", "Later", "Ana",
    "Bob", "newsroom", "One", "nobody", "s", "A browser", "the command line", "brrr", "'x'",
    "http://127.0.0.1:8000/c/snowman", "http://127.0.0.1:8000/c/draft-one",
)  # fmt: skip
CHEAP = Passwords(time_cost=1, memory_kib=8)
HERE = "/desk/contests/snowman"


def fill(store: Store) -> None:
    """A contest that is decided, with flags and steps, and a draft."""
    desk, ana = Desk(store, clock=lambda: START), Actor(1, "Ana", "owner")
    scale = (Level("Unfunny", 0.0), Level("Somewhat funny", 0.5), Level("Funny", 1.0))
    settings = ContestSettings(
        title="Snowmen", scale=scale, lanes=(Lane("plaudit"),), epsilon=0.1, delta=0.05
    )
    items = [Item(number, text) for number, text in enumerate(TEXTS)]
    desk.create("snowman", settings, items, by=ana, opened=True)
    votes = [
        Answer(Kind.VOTE, bytes([rater]) * 16, item, 2 if item == 0 else rater % 2, 0, START, 900)
        for rater in range(60)
        for item in range(4)
    ]
    flags = [Answer(Kind.FLAG, bytes([rater]) * 16, 4, 0, 0, START, 900) for rater in range(2)]
    store.append_answers("snowman", [*votes, *flags])
    desk.exclude("snowman", 7, by=ana)
    desk.replace("snowman", [2], "Cold feet", "", keep_votes=True, by=ana)
    desk.withdraw("snowman", [1], by=ana)
    desk.create("draft-one", settings_of_draft(settings), items, by=ana)


def settings_of_draft(settings: ContestSettings) -> ContestSettings:
    lanes = (Lane("plaudit", 0.5), Lane("lucb++", 0.5))
    kinds = {name: getattr(settings, name) for name in settings.__struct_fields__}
    return ContestSettings(**kinds | {"title": "Later", "lanes": lanes})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path: Path = tmp_path_factory.mktemp("words")
    database = str(path / "words.db")
    store = open_store(database)
    fill(store)
    store.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "spoken", wrapped())
        patch.setattr(browser_sessions, "Passwords", lambda: CHEAP)
        patch.setattr("plaudit.web.reach.network_address", lambda: None)
        app = make_app(Serving(database, SECRET, hosts=("testserver",)))
        with TestClient(app, follow_redirects=False) as client:
            yield client


@pytest.fixture(scope="module")
def ana(site: TestClient) -> Browser:
    accounts = Accounts(site.app._app.state.browsers.store, CHEAP)  # type: ignore[attr-defined]
    browser = welcomed(site, accounts, "Ana", "owner")
    welcomed(site, accounts, "Bob", "viewer")
    accounts.invite(COMMAND_LINE, "editor")
    return browser


PAGES = (
    "/", "/c/snowman", "/c/snowman/results", "/c/snowman/certificate", "/c/snowman/wait", "/docs",
    "/nowhere", "/c/nobody",
    "/desk/nowhere",
    "/desk", "/desk/account", "/desk/people", "/desk/keys", "/desk/new", "/desk/preview",
    "/desk/people?done=role", "/desk?done=created",
    HERE, f"{HERE}/items", f"{HERE}/items?text=nobody", f"{HERE}/items/0", f"{HERE}/items/1",
    f"{HERE}/items/5", f"{HERE}/items/add", f"{HERE}/moderate", f"{HERE}/moderate?step=9",
    f"{HERE}/moderate/duplicates", f"{HERE}/moderate/merge?numbers=1,4",
    f"{HERE}/moderate/raters/7", f"{HERE}/moderate/raters/8", f"{HERE}/moderate/raters?raters=8",
    f"{HERE}/run", f"{HERE}/settings", f"{HERE}/trail", f"{HERE}/poster",
    "/desk/contests/draft-one", "/desk/contests/draft-one/run", "/desk/contests/draft-one/settings",
)  # fmt: skip


def bare(page: str) -> set[str]:
    return bare_words(page, own=OWN)


@pytest.mark.parametrize("path", PAGES)
def test_all_words_of_a_page_come_from_the_catalogue(ana: Browser, path: str) -> None:
    response = ana.get(path)
    assert response.status_code < 500
    assert "⟦" in response.text
    # The API's own document is in English.
    page = re.sub(r'(?s)<section class="endpoint".*</section>', "", response.text)
    assert bare(page) == set()


def test_words_of_forms_that_are_wrong(ana: Browser, site: TestClient) -> None:
    new = {"title": "Snowmen", "items": "One", "step": "create", "scale": "funny", "top": "x"}
    answers = [
        ana.send("/desk/new", **new),
        ana.send("/desk/new", "/desk/new/items", items="Brrr\nBrrr\nbrrr!\nSnow joke"),
        ana.send("/desk/keys", "/desk/keys/make", name="newsroom", scopes="read"),
        ana.send("/desk/people", "/desk/people/invite", role="viewer"),
        ana.send(f"{HERE}/items/0", f"{HERE}/items/0/edit", text="Brrr"),
        ana.send(f"{HERE}/items/add", items="Brrr", epoch="0"),
        ana.send(f"{HERE}/run", f"{HERE}/run/step", step="close", epoch="0"),
        Browser(site).get("/desk/sign-in"),
    ]
    for answer in answers:
        assert "⟦" in answer.text, answer.text
        assert bare(answer.text) == set()


def test_a_text_that_is_in_no_catalogue_is_found(ana: Browser) -> None:
    page = ana.get("/desk").text
    for planted in ("<p>Planted words</p>", '<a title="Planted words">1</a>'):
        assert bare(page.replace("</main>", f"{planted}</main>")) == {"Planted words"}


def test_a_fact_that_is_in_no_catalogue_is_found(site: TestClient) -> None:
    text = '{% trans who="nobody known" %}Hello {{ who }}.{% endtrans %}'
    assert bare(environment().from_string(text).render()) == {"nobody known"}


def test_the_template_of_catalogues_is_up_to_date() -> None:
    with catalogue.TEMPLATE.open("rb") as kept:
        known = {message.id for message in read_po(kept) if message.id}
    found = {message.id for message in catalogue.template() if message.id}
    assert known == found, "`make words` writes it anew"
    assert json.loads(catalogue.SCRIPTS.read_text("utf-8")) == catalogue.script_texts()


def test_every_text_of_a_script_is_extracted() -> None:
    """The reader of scripts loses its way in a template inside a template."""
    call = re.compile(r'(?<![\w.])(?:_|many)\(("(?:[^"\\]|\\.)*")')
    for path in catalogue.files():
        if path.suffix == ".js":
            found = [
                text if isinstance(text, str) else text[0] for _, text in catalogue.texts_of(path)
            ]
            written = [json.loads(text) for text in call.findall(path.read_text("utf-8"))]
            assert sorted(found) == sorted(written), path.name


def test_texts_with_facts_name_them() -> None:
    for message in catalogue.template():
        texts = message.id if isinstance(message.id, tuple) else (message.id,)
        for text in texts:
            assert not re.search(r"%[sdrfg]|\{\}", text), text


def test_english_pages_carry_no_catalogue() -> None:
    english = words.catalogue_of("en")
    assert english.for_scripts == ""
    assert '"Start"' in wrapped().for_scripts
