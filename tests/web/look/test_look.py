"""The component sheet, the fonts, and the names of colours that style sheets share."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from plaudit.web.app import Serving, make_app
from plaudit.web.charts import result_card
from plaudit.web.rendering import HERE, ROOMS
from support.desk_site import SECRET

FONTS = HERE / "shared" / "static" / "fonts"
SHEETS = sorted(path for room in ROOMS for path in (HERE / room / "static").glob("*.css"))
PLAUDIT = (HERE / "shared" / "static" / "plaudit.css").read_text("utf-8")
# What a page of western Europe loads, and all files together.
WESTERN_BYTES, ALL_BYTES = 56_000, 76_000


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("look") / "look.db")


@pytest.fixture(scope="module")
def site(database: str) -> Iterator[TestClient]:
    with TestClient(make_app(Serving(database, SECRET, hosts=("testserver",), look=True))) as one:
        yield one


def test_the_sheet_shows_the_components_in_both_themes(site: TestClient) -> None:
    page = site.get("/desk/look")
    assert page.status_code == 200
    for theme in ("light", "dark"):
        assert f'data-theme="{theme}"' in page.text
    used = {name for found in re.findall(r'class="([^"]+)"', page.text) for name in found.split()}
    assert used >= {
        "button", "strong", "danger", "quiet", "level", "stars", "field", "picks", "switch",
        "sheet", "card", "badge", "chip", "standing", "said", "wrong", "stale", "claim", "found",
        "facts", "tiles", "table", "rows", "fold", "empty", "plot", "choices", "note", "moment",
    }  # fmt: skip
    identities = re.findall(r'\bid="([^"]+)"', page.text)
    assert len(identities) == len(set(identities))


def test_other_services_do_not_have_it(database: str) -> None:
    with TestClient(make_app(Serving(database, SECRET, hosts=("testserver",)))) as site:
        assert site.get("/desk/look").status_code == 404


def test_fonts_are_kept_and_other_files_are_not(site: TestClient) -> None:
    for path in FONTS.glob("*.woff2"):
        answer = site.get(f"/static/shared/fonts/{path.name}")
        assert answer.headers["content-type"] == "font/woff2"
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        same = {"if-none-match": answer.headers["etag"]}
        assert site.get(f"/static/shared/fonts/{path.name}", headers=same).status_code == 304
    answer = site.get("/static/shared/plaudit.css")
    assert answer.headers["cache-control"] == "no-cache"


def test_fonts_are_small_named_by_their_content_and_licensed() -> None:
    fonts = {path.name: path.read_bytes() for path in FONTS.glob("*.woff2")}
    assert set(re.findall(r"fonts/([^\"]+)", PLAUDIT)) == set(fonts)
    for name, body in fonts.items():
        assert hashlib.sha256(body).hexdigest()[:8] in name
        assert body[:4] == b"wOF2"
        licence = FONTS / f"{name.partition('-')[0]}-LICENSE.txt"
        assert "SIL Open Font License, Version 1.1" in licence.read_text("utf-8")
    assert sum(len(body) for name, body in fonts.items() if "ext" not in name) < WESTERN_BYTES
    assert sum(map(len, fonts.values())) < ALL_BYTES


def test_pages_load_one_font_early(site: TestClient) -> None:
    early = re.findall(r'rel="preload" href="/static/shared/fonts/([^"]+)"', site.get("/").text)
    assert [(FONTS / name).is_file() for name in early] == [True]
    # Arabic and Japanese have letters of the system.
    assert "preload" not in site.get("/?lang=ar").text


def palette(part: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (?:light-dark\()?(#[0-9a-f]{6})", part))


def test_both_lists_of_colours_agree() -> None:
    """Browsers that know no `light-dark` have the light colours of a list of their own."""
    plain, _, both = PLAUDIT.partition("@supports")
    light, names = palette(plain), palette(both)
    assert {name: light[name] for name in names} == names


def test_what_is_drawn_by_itself_has_the_light_colours() -> None:
    light = palette(PLAUDIT)
    light["in"] = light["accent"]
    chart = (HERE / "shared" / "static" / "chart.css").read_text("utf-8")
    for name, colour in re.findall(r"var\(--([a-z]+), (#[0-9a-f]{6})\)", chart):
        assert light[name] == colour
    for name in ("paper", "ink", "soft", "line", "gold"):
        assert getattr(result_card, name.upper()) == light[name]


def lightness(colour: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_can_be_read_on_every_ground(theme: int) -> None:
    """WCAG 2, level AA: 4.5 for texts, 3 for the edges of fields."""
    pairs = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", PLAUDIT)
    colours = {name: both[theme] for name, *both in pairs}

    def contrast(one: str, other: str) -> float:
        low, high = sorted((lightness(colours[one]), lightness(colours[other])))
        return (high + 0.05) / (low + 0.05)

    for ground in ("paper", "surface", "sunk", "wash"):
        for text in ("ink", "soft", "accent", "open", "out", "wrong"):
            assert contrast(text, ground) >= 4.5, (text, ground)
    for ground in ("warn-wash", "wrong-wash"):
        assert contrast("ink", ground) >= 4.5
    assert contrast("wrong", "wrong-wash") >= 4.5
    assert contrast("open", "warn-wash") >= 4.5
    assert contrast("on-accent", "accent") >= 4.5
    for ground in ("paper", "surface"):
        assert contrast("edge", ground) >= 3


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_sheets_use_only_names_that_there_are(sheet: Path) -> None:
    known = set(re.findall(r"^\s*(--[a-z0-9-]+):", PLAUDIT, flags=re.MULTILINE))
    text = sheet.read_text("utf-8")
    assert set(re.findall(r"var\((--[a-z0-9-]+)", text)) <= known
    if sheet.name not in ("plaudit.css", "chart.css"):
        # Colours are named once; white and black are paper and print.
        assert set(re.findall(r"#[0-9a-f]{3,6}\b", text)) <= {"#fff", "#000"} | ALLOWED


# The words on gold, and lines of pages to print.
ALLOWED = {"#2b1f00", "#444", "#999", "#333"}
