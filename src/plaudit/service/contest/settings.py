"""A contest's settings, one entry each: `SETTINGS` is the table that everything else reads.

To add a setting, see CONTRIBUTING.md.
"""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from plaudit.bounds import Bets
from plaudit.errors import InvalidInput
from plaudit.race.algorithms import ALGORITHMS
from plaudit.race.goals import ALL_GOOD_GOAL, GOALS, TOP_GOAL
from plaudit.race.settings import DEFAULT_ALGORITHM
from plaudit.scale import FUNNY, Scale
from plaudit.service.contest import rules
from plaudit.service.contest.proposals import AT_ONCE, HELD, OFF, PROPOSALS
from plaudit.service.contest.rules import RACE_DEFAULTS, RaceTakes
from plaudit.service.contest.setting import Holds, Part, Place, Setting, entries_of
from plaudit.store.log import NONE
from plaudit.words import LANGUAGES, N_

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")
# The lane of votes on items drawn uniformly; algorithms are lanes 0, 1, 2, …
UNIFORM = NONE
AUTOMATIC = "auto"
STATES = DRAFT, OPEN, PAUSED, CLOSED, RETIRED, DELETED = (
    "draft", "open", "paused", "closed", "retired", "deleted",
)  # fmt: skip
# Nothing but the state can change.
FROZEN = (RETIRED, DELETED)
# Strangers must not learn that there is such a contest.
HIDDEN = (DRAFT, DELETED)
# What a new contest tolerates, unless it says otherwise: see docs/decisions/three-may-lie.md.
USUAL_TOLERANCE = 3
# Who may vote: anybody, or only those who pass this door (see `plaudit.service.door`).
DOORS = OPEN_DOOR, CODES, LIST, LINKS, SIGN_IN = "open", "codes", "list", "links", "sign-in"
# Whether newcomers at an open door must work first (see `plaudit.service.door.work`).
WORKS = WORK_AUTOMATIC, WORK_ON, WORK_OFF = "automatic", "on", "off"
# When everybody may see the results; earlier editions knew only always (true) and never (false).
AT_END, AFTER_VISIT, ALWAYS, NEVER = "end", "after-visit", "always", "never"
# The pages of a contest are in the language of whoever reads them, unless it names one.
READERS_LANGUAGE = "automatic"
# Why a rater may flag an item.
REASONS = ("offensive", "duplicate", "unreadable", "other")

Text = Annotated[str, Meta(max_length=rules.LONGEST_TEXT)]
Line = Annotated[str, Meta(max_length=rules.LONGEST_LINE)]


class Level(Struct, frozen=True):
    """A label that a rater may choose, and its value in [0, 1]."""

    label: Line
    value: float


class Lane(Struct, frozen=True):
    """An algorithm that takes part, and its share of the asks (shares are relative)."""

    algorithm: str
    share: float = 1.0


class Context(Struct, frozen=True):
    """What the items are about: a text, a picture (hash of an asset) or both."""

    text: Text = ""
    image: str = ""
    alt: Line = ""


class ContestSettings(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that a contest was set up with. Times are milliseconds since 1970, UTC.

    The chain of a log begins with these fields as JSON, and a field that has its default is left
    out there. So fields keep their order and their defaults.
    """

    # fmt: off
    title: Annotated[Line, Setting(
        Holds.LINE, Place.QUESTION, N_("Title"),
        N_("The question that raters answer, such as: How funny is this caption?"),
        "the headline",
        subject=N_("The title"), starts="", missing=N_("say in a line what raters are asked."),
    )]
    scale: Annotated[tuple[Level, ...], Setting(
        Holds.SCALE, Place.ANSWERS, N_("Answers"), "",
        "`funny` (three levels), `thumbs`, `stars`, or your own: `{Meh: 0, Fine: 0.5, Great: 1}`",
        of_the_race=True, default=tuple(map(Level, FUNNY.labels, FUNNY.values)),
        parts=(Part("labels", N_("My own labels"), N_(
            "One per line, from the worst to the best, with a value from 0 to 1: Funny = 1"
        )),),
    )]
    lanes: Annotated[tuple[Lane, ...], Setting(
        Holds.ALGORITHMS, Place.ALGORITHMS, N_("Algorithms"),
        N_("Plaudit's own needs the fewest votes. Tick several to let them race: each gets its "
           "share of the votes and names its own winners."),
        "`{plaudit: 0.7, lil-klucb: 0.3}` races several on one crowd, each with its share of the "
        "asks; write `algorithm` for a single one. The default is `plaudit`; `at-lucb` is for a "
        "contest that never stops and certifies nothing",
        key="algorithms", short_key="algorithm", of_the_race=True,
        rules=(rules.SOME_ALGORITHM, rules.DIFFERENT_ALGORITHMS),
        check_each=lambda lane: rules.check_lane(lane.algorithm, lane.share),
        default=(Lane(DEFAULT_ALGORITHM),),
    )]
    context: Annotated[Context, Setting(
        Holds.CONTEXT, Place.QUESTION, N_("What it is about"),
        N_("Optional. It stands above every item: a sentence or a few lines."),
        "what the items are about: a text, or `text`, `image` and `alt`",
        rows=2,
        parts=(
            Part("image", N_("Drawing"), N_(
                "Optional. PNG, JPEG, GIF, WebP or SVG, up to 5 MB. It stands above every item."
            )),
            Part("alt", N_("The drawing in words"), N_(
                "For people who cannot see it: say in a sentence what it shows."
            )),
        ),
    )] = Context()
    delta: Annotated[float, Setting(
        Holds.NUMBER, Place.WINNERS, N_("Chance of being wrong"),
        N_("0.01 means that at most one contest in a hundred names a wrong winner. A smaller "
           "chance takes more votes. (delta)"),
        "how often a verdict may be wrong, in total: 0.05 is one in twenty",
        of_the_race=True, rules=(RaceTakes("delta"),), least=0, most=1, rank=3,
    )] = RACE_DEFAULTS["delta"]
    epsilon: Annotated[float, Setting(
        Holds.NUMBER, Place.WINNERS, N_("How close is close enough"),
        N_("A winner may be worse than the true one by this much: 0.05 is 5 points of 100. 0 asks "
           "for the very best, and may take very many votes. (epsilon)"),
        "how much better another item may be without being named: 0.1 on a scale from 0 to 1",
        of_the_race=True, rules=(RaceTakes("epsilon"),), least=0, most=1, rank=2, starts="0.05",
    )] = RACE_DEFAULTS["epsilon"]
    top: Annotated[int, Setting(
        Holds.NUMBER, Place.WINNERS, N_("How many winners"),
        N_("The contest ends when it is sure which items are the best."),
        "how many winners to name",
        of_the_race=True, rules=(RaceTakes("top"),), least=1, rank=1,
    )] = RACE_DEFAULTS["top"]
    goal: Annotated[str, Setting(
        Holds.CHOICE, Place.GOAL, N_("It looks for"), "",
        "`top` (default): the best items, as many as `top` says. Or `all-good`: every item within "
        "`epsilon` of the best, however many there are, and none more than twice `epsilon` below "
        "it ([what it means](../theory/all-good.md))",
        of_the_race=True, rules=(rules.one_of(GOALS),), parts=(
            Part(TOP_GOAL, N_("The best"), N_("the number of winners below")),
            Part(ALL_GOOD_GOAL, N_("All that are good enough"), N_(
                "every item within epsilon of the best, however many there are, and none that is "
                "more than twice epsilon below it"
            )),
        ),
    )] = RACE_DEFAULTS["goal"]
    seed: Annotated[int, Setting(
        Holds.NUMBER, Place.ADVANCED, N_("Seed"), N_("Decides ties. Leave it as it is."),
        "a whole number that decides ties",
        of_the_race=True, rules=(RaceTakes("seed"),), least=0, rank=2,
    )] = RACE_DEFAULTS["seed"]
    uniform: Annotated[float, Setting(
        Holds.SHARE, Place.ADVANCED, N_("Share of random items"),
        N_("From 0 to below 1: the share of votes that go to items drawn at random, for "
           "research."),
        "the share of asks that show any item at random, to measure quality without bias",
        of_the_race=True, subject=N_("The share of random items"), rules=(rules.SHARE_OF_VOTES,),
        least=0, most=1, rank=1,
    )] = 0.0
    consent: Annotated[Text, Setting(
        Holds.TEXT, Place.VISIT, N_("Consent"),
        N_("Optional. Raters must agree to this before they start."),
        "a text that raters must agree to before the first item",
        rank=2,
    )] = ""
    instructions: Annotated[Text, Setting(
        Holds.TEXT, Place.VISIT, N_("Instructions"), N_("Optional. Shown before the first item."),
        "a text before the first item",
        rank=1,
    )] = ""
    votes_per_visit: Annotated[int, Setting(
        Holds.LIMIT, Place.VISIT, N_("Votes per visit"),
        N_("After this many votes a rater is thanked, and may go on. Empty or 0 means no limit."),
        "after how many votes a visit ends; no limit if left out",
        subject=N_("Votes per visit"), rules=(rules.VISIT_LIMIT,), least=0, rank=3, starts="",
    )] = 0
    thanks: Annotated[Text, Setting(
        Holds.TEXT, Place.THANKS, N_("Thanks"), N_("Optional. What raters read at the end."),
        "a text after the last item",
        rows=2,
    )] = ""
    completion_code: Annotated[Line, Setting(
        Holds.CODE, Place.PAID, N_("The code for all"), "",
        "a text, or `auto` for a different code for each rater",
        subject=N_("The code"), parts=(Part("code", N_("Completion code")),),
    )] = ""
    return_url: Annotated[str, Setting(
        Holds.LINK, Place.PAID, N_("Way back"),
        N_("A link that starts with https://, offered at the end."),
        "where to send raters at the end",
        subject=N_("The way back"), rules=(rules.WEB_LINK,),
    )] = ""
    opens: Annotated[int | None, Setting(
        Holds.TIME, Place.TIMES, N_("Begins"),
        N_("Optional. Votes count from this time on, once you have started the contest."),
        "a time with its time zone, such as `2026-12-01T09:00:00+01:00`; no vote counts before it",
        subject=N_("The opening time"),
    )] = None
    closes: Annotated[int | None, Setting(
        Holds.TIME, Place.TIMES, N_("Closes"), N_("Optional. Votes after this time do not count."),
        "the same for the end; no vote counts after it",
        subject=N_("The closing time"),
    )] = None
    skip: Annotated[bool, Setting(
        Holds.FLAG, Place.RATERS_MAY, N_("Skip an item"), N_("a skip does not count"),
        "`false` removes the button to skip an item",
    )] = True
    flag: Annotated[bool, Setting(
        Holds.FLAG, Place.RATERS_MAY, N_("Flag an item"),
        N_("as offensive, the same as another or unreadable; you find it under Moderate"),
        "`false` removes the button to flag an item",
    )] = True
    public_results: Annotated[bool | str, Setting(
        Holds.PUBLIC, Place.AUDIENCE, N_("Results are public"), "",
        "when everybody may see them. `end`: once the contest is decided or over, so that nobody "
        "is swayed. `after-visit`: raters who have finished a visit see them too. `always` or "
        "`never`. "
        "A new contest has `end` unless the file says otherwise; `public` and `private` are older "
        "words for `always` and `never`",
        key="results", rules=(rules.RESULTS,), starts=AT_END, parts=(
            Part(AT_END, N_("At the end"), N_("once it is decided or over: nobody is swayed")),
            Part(AFTER_VISIT, N_("After the own visit"), N_(
                "raters who have finished a visit see them; everybody at the end"
            )),
            Part(ALWAYS, N_("Always"), N_(
                "everybody sees who leads while people vote, which sways some"
            )),
            Part(NEVER, N_("Never"), N_("only people at this desk see them")),
        ),
    )] = True
    listed: Annotated[bool, Setting(
        Holds.FLAG, Place.AUDIENCE, N_("On the start page"),
        N_("the contest is listed for everyone"),
        "`false` keeps it off the start page",
    )] = True
    embed: Annotated[tuple[str, ...], Setting(
        Holds.SITES, Place.SITES, N_("Sites that may embed it"),
        N_("Optional, one per line, such as https://example.org: their pages may show the contest "
           "in a frame, or let people vote by a script of theirs."),
        "sites that may show the voting page in a frame, and whose pages may vote by [the "
        "JavaScript client](javascript.md)",
        check_each=rules.check_site, rows=2,
    )] = ()
    # A number of raters, or below 1 a share of all who have answered, excluded ones too.
    tolerance: Annotated[float, Setting(
        Holds.RATERS, Place.WINNERS, N_("Dishonest raters"),
        N_("With 10, the verdict is right even if any 10 raters were dishonest. You may also write "
           "a share of all raters, with a percent sign. More takes more votes."),
        "how many dishonest raters the verdict withstands: a number, such as `10`, or a share of "
        "the raters so far, such as `1 %`. A new contest has 3 unless the file says otherwise; "
        "`0` needs the fewest votes and trusts everybody ([what it "
        "means](../theory/tolerance.md))",
        of_the_race=True, at_any_time=True, subject=N_("The number of dishonest raters"),
        rules=(rules.DISHONEST_RATERS,), rank=4, starts=f"{USUAL_TOLERANCE}",
    )] = 0.0
    door: Annotated[str, Setting(
        Holds.CHOICE, Place.DOOR, N_("Who may vote"), "",
        "`open` (default): everybody. Or only those who pass a door: `codes`, `list`, `links` or "
        "`sign-in` ([what each proves](door.md))",
        rules=(rules.one_of(DOORS),), parts=(
            Part(OPEN_DOOR, N_("Everybody"), N_("whoever has the link")),
            Part(CODES, N_("People with a code"), N_(
                "you make one-time codes and hand them out; one code is one rater"
            )),
            Part(LIST, N_("People on a list"), N_(
                "their links carry an id, and you say which ids may vote"
            )),
            Part(LINKS, N_("People whom your site sends"), N_(
                "their links carry an id that your site has signed"
            )),
            Part(SIGN_IN, N_("People who sign in"), N_(
                "with an account of your organisation, if this service is connected to it"
            )),
        ),
    )] = OPEN_DOOR
    work: Annotated[str, Setting(
        Holds.CHOICE, Place.DOOR, N_("Work for newcomers"), "",
        "`automatic`, `on` or `off`: whether the browser of a new rater at the open door must "
        "first solve a puzzle, about a second of computing, and more where one address makes many "
        "raters. A new contest has `automatic` unless the file says otherwise: only where many "
        "come ([what it stops](door-work.md))",
        rules=(rules.one_of(WORKS),), rank=1, starts=WORK_AUTOMATIC, parts=(
            Part(WORK_AUTOMATIC, N_("Where many come"), N_(
                "only if one address makes many raters, or very many come at once"
            )),
            Part(WORK_ON, N_("Always"), N_(
                "every new browser works for about a second before the first item"
            )),
            Part(WORK_OFF, N_("Never"), N_("one machine can be any number of raters")),
        ),
    )] = WORK_OFF
    votes_after_verdict: Annotated[bool, Setting(
        Holds.FLAG, Place.RATERS_MAY, N_("Vote after the verdict"),
        N_("raters who come late may still vote; the verdict stands"),
        "`true` lets raters vote on after the verdict, which stands; otherwise they read that the "
        "contest is decided",
    )] = False
    language: Annotated[str, Setting(
        Holds.CHOICE, Place.VISIT, N_("Language of the pages"), "",
        "`automatic` (default): the language that the browser asks for. Or one for everybody: "
        "`ar`, `de`, `en`, `es`, `fr` or `ja`. Whoever chooses another at the foot of a page gets "
        "that ([languages](languages.md))",
        rules=(rules.one_of((READERS_LANGUAGE, *LANGUAGES)),), rank=4, parts=(
            Part(READERS_LANGUAGE, N_("The reader's own"), N_(
                "the language that the browser asks for, if Plaudit has it, and English if not"
            )),
            *(Part(language, name) for language, name in LANGUAGES.items()),
        ),
    )] = READERS_LANGUAGE
    proposals: Annotated[str, Setting(
        Holds.CHOICE, Place.PROPOSALS, N_("Raters may propose items"), "",
        "`off` (default), `held`: an editor decides about each proposal, or `at-once`: proposals "
        "join the race as they come. Items that join are paid for by the part of `delta` that is "
        "kept for changes, so that the verdict stays certified ([what it costs](proposals.md))",
        rules=(rules.one_of(PROPOSALS),), parts=(
            Part(OFF, N_("No")),
            Part(HELD, N_("Yes, and an editor decides"), N_(
                "proposals wait in a list at the desk until somebody takes or refuses them"
            )),
            Part(AT_ONCE, N_("Yes, at once"), N_(
                "proposals join as they come, and you can take them out again; for a crowd that "
                "you trust"
            )),
        ),
    )] = OFF
    proposals_each: Annotated[int, Setting(
        Holds.NUMBER, Place.PROPOSAL_LIMITS, N_("Proposals of one rater"),
        N_("How many items each rater may propose in all."),
        "how many items a rater may propose in all",
        subject=N_("Proposals of one rater"), rules=(rules.FEW_PROPOSALS,), least=1, most=100,
    )] = 3
    proposals_in_all: Annotated[int, Setting(
        Holds.NUMBER, Place.PROPOSAL_LIMITS, N_("Proposals in all"),
        N_("Those that wait and those that joined; refused ones do not count. Once one has joined, "
           "the contest takes about half as many votes more; with ten, about twice as many."),
        "how many proposals may wait or have joined",
        subject=N_("Proposals in all"), rules=(rules.MANY_PROPOSALS,), least=1, most=1000,
    )] = 200
    # The text of a file that `plaudit learn` wrote; empty for the usual bets.
    bets: Annotated[Text, Setting(
        Holds.TEXT, Place.ADVANCED, N_("Learned bets"),
        N_("Optional. What `plaudit learn` made from past contests: paste the whole file. Fewer "
           "votes are then needed if this contest is like those; the verdict is as sure in any "
           "case."),
        "what `plaudit learn` wrote, as text: weights for the algorithm plaudit that were learned "
        "from past contests ([fewer votes](../fewer-votes.md#learned-bets), as sure "
        "[as before](../theory/learned-bets.md))",
        of_the_race=True, subject=N_("The learned bets"), rules=(rules.LearnedBets(),), rank=3,
    )] = ""
    # fmt: on

    def tolerated(self, raters: int) -> int:
        """How many dishonest raters a verdict must withstand when so many raters have voted."""
        if self.tolerance >= 1.0:
            return int(self.tolerance)
        # A share such as 0.29 is not exact in binary: 29 of 100 must not become 28.
        return int(self.tolerance * raters + 1e-9)

    def bets_of(self, lane: int) -> Bets | None:
        """The learned weights that the race of a lane bets with; None for the usual ones."""
        bets = ALGORITHMS[self.lanes[lane].algorithm].bound == "betting"
        return Bets.from_json(self.bets) if self.bets and bets else None

    @property
    def shares(self) -> tuple[float, ...]:
        """The part of all votes that each race hears of: its own, and those on random items."""
        whole = sum(lane.share for lane in self.lanes)
        return tuple(
            self.uniform + (1.0 - self.uniform) * lane.share / whole for lane in self.lanes
        )

    def __post_init__(self) -> None:
        for setting in SETTINGS:
            value = getattr(self, setting.field)
            if value != setting.default:
                setting.check(value)
        rules.check_times(self.opens, self.closes)
        rules.check_late_items(self.proposals, (lane.algorithm for lane in self.lanes))
        _ = self.race_scale

    @property
    def results_when(self) -> str:
        """When everybody may see the results."""
        if isinstance(self.public_results, str):
            return self.public_results
        return ALWAYS if self.public_results else NEVER

    @property
    def wants_all_good(self) -> bool:
        """Whether it is for all items within epsilon of the best, and not for the best `top`."""
        return self.goal == ALL_GOOD_GOAL

    @property
    def purpose(self) -> str:
        """What the contest is for, in words."""
        if self.wants_all_good:
            return f"for all items within {self.epsilon:.12g} of the best"
        return f"for the best {self.top}"

    @property
    def race_scale(self) -> Scale:
        """The scale as the races know it."""
        labels = tuple(level.label for level in self.scale)
        return Scale(labels, tuple(level.value for level in self.scale))

    def to_json(self) -> str:
        """The settings as JSON, in one way only, since the log's chain begins with them."""
        return msgspec.json.encode(self, order="deterministic").decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> "ContestSettings":
        """The settings that `to_json` wrote."""
        return msgspec.json.decode(text, type=cls)


SETTINGS = entries_of(ContestSettings)


def settings_at(place: str) -> list[Setting]:
    """The settings of a place of the form, in their order there."""
    return sorted((one for one in SETTINGS if one.place == place), key=lambda one: one.rank)


def check_name(name: str) -> str:
    """The name, if it may stand in a link; an error that says what is allowed otherwise."""
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} cannot be a contest's name: use 1 to 64 small letters, digits and "
            "hyphens, such as 'office-elephant'."
        )
    return name
