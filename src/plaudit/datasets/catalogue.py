"""The caption contests of the public data set, by name.

A contest is named by its number ("558") or by the stem of its file ("558_LilUCB"). Up to
contest 659 a stem also names the rule that collected the votes, and some contests have one
file per rule. The lists below are those of github.com/nextml/caption-contest-data
(`summaries/`) at contest 895: 397 files, and none for contest 525.
"""

from collections.abc import Collection, Iterator

from plaudit.errors import InvalidInput

SOURCE = "https://raw.githubusercontent.com/nextml/caption-contest-data/master/summaries/"
SYNTHETIC = "synthetic"
MAX_NAMES_SHOWN = 8

_RULES_BY_CONTEST = (
    (range(510, 520), ("LilUCB", "RoundRobin")),
    (range(520, 525), ("LilUCB",)),
    (range(526, 540), ("LilUCB",)),
    (range(540, 541), ("Random",)),
    (range(541, 559), ("LilUCB",)),
    (range(559, 560), ("LilUCB", "Random", "lil-KLUCB")),
    (range(560, 660), ("lil-KLUCB",)),
    (range(660, 896), ("",)),
)

# The other files are checked when they are downloaded, and against that download afterwards.
SHA256 = {
    "512_LilUCB": "040e82b113b04ee9af2afc4494506d753c2aa469aac07d30f4fe698f25f4689a",
    "512_RoundRobin": "9cb96225058cf526744da171dfed6366d310aeb6aab7071e9c61dab5f9521f3e",
    "553_LilUCB": "b18cc39a8f8977dcab7cd5737430b97cecf18cdff3d28ea678cbc5e1c9bb354d",
    "558_LilUCB": "24ff8c92d56e6e741a98edf9a2a4a7520c6f391043588b32bfeeba3867e5cac8",
    "653_lil-KLUCB": "8d2ee0ede41599e27d359177bb4dafc47a6e1afcb847b4651ccf7a8c28001300",
    "686": "c632b2752a2981cf168583265cb3d39c1c59b641d3ffe6d9986f290518c39c0d",
    "729": "754306d93d3a5b6232c62b0ea1743673a8fa184e562fecb700757b56dbcc9301",
    "776": "19309d33a6410e59b92680659bac3f3b5a08c042f11de8903ce6fda60d09229f",
    "831": "d324b4186f8740f4a7182e9b960aa53ad81c185fa6c5333c97acd9ecc6b4f998",
}


def _stems() -> Iterator[str]:
    for contests, rules in _RULES_BY_CONTEST:
        for contest in contests:
            yield from (f"{contest}_{rule}" if rule else str(contest) for rule in rules)


STEMS = tuple(_stems())


def number_of(stem: str) -> int | None:
    """The contest's number, or None for a file that is named otherwise.

    >>> number_of("653_lil-KLUCB"), number_of("686"), number_of("my-contest")
    (653, 686, None)
    """
    digits = stem.partition("_")[0]
    return int(digits) if digits.isascii() and digits.isdigit() else None


def plain_name(name: str | int) -> str:
    """A contest's name as people write it, without outer spaces and `.csv`.

    >>> plain_name(" 558_LilUCB.csv "), plain_name(558)
    ('558_LilUCB', '558')
    """
    return str(name).strip().removesuffix(".csv")


def choose(name: str | int, stems: Collection[str]) -> str | None:
    """The one stem of these that a name means, or None.

    A stem counts whatever its case, and before a number. A number that several
    stems share is refused, with the choices.

    >>> choose(558, STEMS), choose("512_roundrobin", STEMS), choose("525", STEMS)
    ('558_LilUCB', '512_RoundRobin', None)
    """
    wanted = plain_name(name)
    if wanted in stems:
        return wanted
    found = [stem for stem in stems if stem.casefold() == wanted.casefold()]
    found = found or [stem for stem in stems if str(number_of(stem)) == wanted]
    if len(found) > 1:
        raise InvalidInput(
            f"Contest {wanted} has {len(found)} files, one for each rule that collected votes: "
            f"{', '.join(sorted(found))}. Name one of them."
        )
    return found[0] if found else None


def public_stem(name: str | int) -> str:
    """The stem that a name means in the public data set.

    A number after the last known one is taken at its word: new contests come every week.
    """
    stem = choose(name, STEMS)
    if stem is not None:
        return stem
    wanted = plain_name(name)
    number, last = number_of(wanted), number_of(STEMS[-1])
    if number is not None and last is not None and str(number) == wanted and number > last:
        return wanted
    same = [stem for stem in STEMS if number is not None and number_of(stem) == number]
    near = f"Contest {number} has: {', '.join(same)}. " if same else ""
    raise InvalidInput(
        f"The public data set has no contest {wanted!r}. {near}It has {number_of(STEMS[0])} to "
        f"{last} without 525, such as 558 or 512_LilUCB; `plaudit data list` shows all. "
        f"{SYNTHETIC!r} is built in."
    )


def name_few(stems: Collection[str]) -> str:
    """The first few stems, for a message.

    >>> name_few(["686", "729"]), name_few(STEMS[:10])[-37:]
    ('686, 729', '513_LilUCB, 513_RoundRobin and 2 more')
    """
    shown = sorted(stems)[:MAX_NAMES_SHOWN]
    more = len(stems) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
