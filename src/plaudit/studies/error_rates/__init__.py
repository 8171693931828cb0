"""How often verdicts are wrong, against delta: very many races on hard small instances."""

from collections.abc import Iterator, Mapping, Sequence

from plaudit.simulation.reruns import ATTACKS, Reruns
from plaudit.simulation.seeds import seed_at
from plaudit.studies.entrants import OURS, PAPERS, Entrant, entrants
from plaudit.studies.error_rates.instances import ATTACKED, INSTANCES, Instance
from plaudit.studies.error_rates.page import error_figure, error_notes, error_tables
from plaudit.studies.error_rates.rows import attack_claim, error_claim, error_rows, tightness_claim
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan, blocks

NAME = "error-rates"
# Races of an instance: ours, the others, and under each attack.
OWN_RACES, QUICK_OWN_RACES = 5000, 100
OTHER_RACES, QUICK_OTHER_RACES = 1000, 40
ATTACK_RACES, QUICK_ATTACK_RACES = 2000, 40
BLOCK = 500
# The paper's bound, the best of the others, and ours.
ATTACKED_ENTRANTS = (PAPERS, "betting", OURS)


def prepare(options: Options) -> StudyPlan:
    """Every entrant on every instance, and every attack on those that it may hurt."""
    own = options.repeat(OWN_RACES, QUICK_OWN_RACES)
    others = min(own, QUICK_OTHER_RACES if options.quick else OTHER_RACES)
    attacks = min(own, QUICK_ATTACK_RACES if options.quick else ATTACK_RACES)
    parts = [
        part | {"seed": options.seed}
        for entrant in entrants()
        if entrant.errs
        for instance in INSTANCES
        if instance.top == 1 or entrant.knows_top
        for part in _parts(entrant, instance, own if entrant.name == OURS else others, attacks)
    ]
    parts.sort(key=_seconds_of, reverse=True)
    settings: Record = {
        "races_of_ours": own,
        "races_of_others": others,
        "races_of_attacks": attacks,
        "instances": {one.name: _facts(one) for one in INSTANCES},
    }
    shared = {instance.name: instance for instance in INSTANCES}
    return StudyPlan(settings, parts, shared, [_seconds_of(part) for part in parts])


def _facts(instance: Instance) -> Record:
    return {
        "means": instance.profile.means.round(6).tolist(),
        "delta": instance.delta,
        "epsilon": instance.epsilon,
        "top": instance.top,
        "limit": instance.limit,
    }


def _parts(entrant: Entrant, instance: Instance, races: int, attacks: int) -> Iterator[Record]:
    attacked = instance.name in ATTACKED and entrant.name in ATTACKED_ENTRANTS
    for attack in (None, *(ATTACKS if attacked else ())):
        for first, end in blocks(races if attack is None else attacks, BLOCK):
            yield {
                "address": [NAME, instance.name, entrant.name, attack or ""],
                "settings": dict(entrant.settings),
                "first": first,
                "end": end,
                "limit": instance.limit,
                "delta": instance.delta,
                "epsilon": instance.epsilon,
                "top": instance.top,
                "profile": instance.profile.fingerprint,
            }


def _seconds_of(part: Record) -> float:
    (entrant,) = entrants((part["address"][2],))
    return 1e-6 * entrant.cost * int(part["limit"] * (part["end"] - part["first"]))


def work(shared: Mapping[str, Instance], part: Record) -> Record:
    """Runs one block of races."""
    _, name, _, attack = part["address"]
    settings = {key: part[key] for key in ("delta", "epsilon", "top")}
    reruns = Reruns(shared[name].profile, reserve=0.0, **settings, **part["settings"])
    tally = reruns.block(
        part["end"] - part["first"],
        seed=seed_at(part["seed"], *part["address"], part["first"]),
        limit=part["limit"],
        attack=attack or None,
    )
    return dict(vars(tally))


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """Error rates with exact limits, and how much of delta they use."""
    rows = error_rows(plan, results)
    return Findings(
        claims=[error_claim(rows), attack_claim(rows), tightness_claim(rows)],
        tables=error_tables(rows),
        chart=lambda: error_figure(rows),
        figure_caption=(
            f"The share of {OURS}'s verdicts that were wrong, over the promised δ, with exact 95 % "
            "limits. The line at 1 is the promise. Hollow: an attack chose the items."
        ),
        notes=list(error_notes(plan.settings)),
    )


STUDY = Study(
    NAME,
    "How often is a verdict wrong, on instances where that is as likely as possible?",
    prepare,
    work,
    conclude,
    claims_heading="wanted",
)
