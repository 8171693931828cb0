"""What the pages that make and change contests share: fields as they were sent, and choices."""

from typing import Any

from plaudit.errors import InvalidInput
from plaudit.race.algorithms import ALGORITHMS
from plaudit.service.contest.settings import SIGN_IN
from plaudit.service.intake.contest_form import FIELDS, TIMES, Form
from plaudit.service.intake.filled_form import in_utc
from plaudit.service.intake.images.checking import MAX_BYTES
from plaudit.service.intake.picture_files import shown_name
from plaudit.service.intake.setting_readers import SCALES
from plaudit.web.answering import CONTENT_POLICY, NO_FRAMES
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.rendering import shown
from plaudit.words import N_, _

# A form with a drawing and some 20,000 items.
MOST_BYTES, MOST_FIELDS = 12 * 2**20 + MAX_BYTES, 2_000
# The page of a form shows another of our pages, the preview, in a frame.
WITH_PREVIEW = f"{CONTENT_POLICY}; frame-src 'self'; {NO_FRAMES}".encode()
AS_PREVIEW = f"{CONTENT_POLICY}; frame-ancestors 'self'".encode()
SCALE_WORDS = {"funny": N_("Funny"), "thumbs": N_("Thumbs"), "stars": N_("Stars")}
ALGORITHM_WORDS = {
    "plaudit": N_("Plaudit's own, with the fewest votes"),
    "lil-klucb": N_("the algorithm of the paper that Plaudit began with"),
    "kl-lucb": N_("an older relative of it"),
    "lucb": N_("the simplest of the family"),
    "lucb++": N_("a later one of the family, for many winners"),
    "lil-ucb": N_("always shows the most promising item"),
    "lil-ucb-heuristic": N_("the same, bolder and without a proof"),
    "ucb": N_("finds a good item early and proves it late"),
    "uniform": N_("every item in turn: for comparison"),
    "successive-elimination": N_("drops items one by one"),
    "at-lucb": N_("never stops and certifies nothing"),
}
NO_PROVIDER = N_(
    "not offered, because this service is not connected to the accounts of your organisation. "
    "Whoever runs it can do that: start it with --sign-in-issuer (docs/live/sign-in.md)."
)


def sent_form(request: DeskRequest) -> dict[str, str]:
    """The fields of a contest as they were sent."""
    form = {name: request.field(name) for name in FIELDS}
    rows = [f"{name} {request.field(f'share-{name}')}" for name in request.fields("lane")]
    # A browser sends line ends of its own.
    tidy = {name: text.replace("\r\n", "\n") for name, text in form.items()}
    times = {name: in_utc(form[name]) for name in TIMES}
    return tidy | times | {"algorithms": "\n".join(rows)}


async def take_drawing(request: DeskRequest, form: dict[str, str]) -> dict[str, str]:
    """Stores the drawing that came with a form and puts its hash there; returns its mistakes."""
    form["image_name"] = shown_name(request.field("image_name")) if form["image"] else ""
    if request.field("no_drawing"):
        form |= {"image": "", "image_name": ""}
    upload = request.files.get("drawing")
    if upload is None:
        return {}
    try:
        kept = await request.site.blocking(request.site.keep_picture, upload.body)
    except InvalidInput as error:
        return {"drawing": shown(error)}
    form |= {"image": kept[0], "image_name": shown_name(upload.name)}
    # A form that is sent again no longer carries the file.
    request.put("image", form["image"])
    request.put("no_drawing")
    return {}


def choices(request: DeskRequest, form: Form) -> dict[str, Any]:
    """What the fields of a contest offer to choose from; `shut` is what does not work here.

    A contest that has such a choice already keeps it.
    """
    shares = dict(row.partition(" ")[::2] for row in form["algorithms"].splitlines())
    names = sorted(ALGORITHMS, key=list(ALGORITHM_WORDS).index)
    shut = {} if request.site.desk.signs_in else {SIGN_IN: _(NO_PROVIDER)}
    return {
        "shut": {choice: words for choice, words in shut.items() if form["door"] != choice},
        "scales": [(name, _(SCALE_WORDS[name]), scale.labels) for name, scale in SCALES.items()],
        "algorithms": [
            {
                "name": name,
                "words": _(ALGORITHM_WORDS[name]),
                "picked": name in shares,
                "share": shares.get(name) or "1",
            }
            for name in names
        ],
    }
