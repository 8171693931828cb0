"""The paper's sentences on sample complexity, against the measured votes."""

from collections.abc import Callable, Sequence

from plaudit.studies.frequency import exact_limits
from plaudit.studies.growth import growth_exponent
from plaudit.studies.sample_complexity.cases import INNER, PANELS, TOTAL_ERROR
from plaudit.studies.sample_complexity.cells import Cell, Cells, fit_growth, row_of
from plaudit.studies.sample_complexity.plan import OWN
from plaudit.studies.study import Claim

# A constant that grows like n to this power or less counts as flat: 1.6-fold over two decades.
FLAT = 0.1
# Growth exponents agree to within this, logarithmic factors and all.
CLOSE = 0.2
SIMILAR = 2.0


def theorem_claim(cells: Cells) -> Claim:
    """The form of the theorem: one constant for all n and alpha."""
    own = own_cells(cells)
    constants = [cell.constant for cell in own]
    highest = max((cell.high / cell.case.bound for cell in own if cell.high), default=None)
    longest = max(float(cell.votes.max()) / cell.case.bound for cell in own)
    slopes = _slopes(cells, lambda cell: cell.constant)
    most = "" if highest is None else f"95 % of the races are within {highest:.2f} times, and "
    flat = max(slopes) <= FLAT
    return Claim(
        "lil-KLUCB's votes are at most c0 times the theorem's bound, with one c0 for all cases",
        f"With c0 = 1, mean votes are {min(constants):.2f} to {max(constants):.2f} times the "
        f"bound, over all n and α; {most}the longest race is {longest:.2f} times. With n, the "
        f"ratio changes like n^{min(slopes):+.2f} to n^{max(slopes):+.2f}.",
        # Races that were given up show only half of it.
        [flat, flat and all(cell.finished for cell in own)],
    )


def own_cells(cells: Cells) -> list[Cell]:
    """lil-KLUCB's cells, those with races given up included."""
    return [cell for (_, _, algorithm), cell in cells.items() if algorithm == OWN]


def _slopes(cells: Cells, value: Callable[[Cell], float]) -> list[float]:
    """How a number of lil-KLUCB's grows with n, in each panel."""
    rows = [row_of(cells, panel, OWN) for panel in PANELS]
    return [
        growth_exponent([cell.case.items for cell in row], [value(cell) for cell in row])
        for row in rows
        if len(row) > 1
    ]


def error_claim(cells: Cells) -> Claim:
    """The best item with probability at least 1 - 2 delta."""
    own = own_cells(cells)
    wrong, races = sum(cell.wrong for cell in own), sum(cell.races for cell in own)
    low, high = (float(limit) for limit in exact_limits(wrong, races))
    worst = max(float(exact_limits(cell.wrong, cell.races)[0]) for cell in own)
    kept = max(low, worst) <= TOTAL_ERROR
    return Claim(
        f"lil-KLUCB names the best item with probability at least 1 - 2δ = {1 - TOTAL_ERROR:g}",
        f"{wrong} wrong verdicts in {races:,} races. So the probability of one is at most "
        f"{100 * high:.2g} % (exact limit at 95 %).",
        # That nothing speaks against it is half of it; that the races are enough is the other.
        [kept, kept and high <= TOTAL_ERROR],
    )


def pairs_of(cells: Cells, panel: str, other: str) -> list[tuple[Cell, Cell]]:
    """An algorithm's finished cells beside lil-KLUCB's."""
    own = {cell.case.items: cell for cell in row_of(cells, panel, OWN)}
    return [
        (cell, own[cell.case.items])
        for cell in row_of(cells, panel, other)
        if cell.case.items in own
    ]


def kl_lucb_claim(cells: Cells) -> Claim:
    """No logarithm of n in every term, unlike KL-LUCB."""
    words, checks = [], []
    for panel in PANELS:
        ratios = [
            (cell.case.items, cell.mean / own.mean)
            for cell, own in pairs_of(cells, panel, "kl-lucb")
        ]
        if len(ratios) < 2:
            continue
        (first, start), (last, end) = ratios[0], ratios[-1]
        words.append(f"{panel}: {start:.2f} at n = {first}, {end:.2f} at n = {last:,}")
        fewer = all(ratio > 1.0 for _, ratio in ratios)
        checks += [fewer, fewer and end > start]
    return Claim(
        "lil-KLUCB saves the log n that KL-LUCB pays in every term",
        f"KL-LUCB's votes over lil-KLUCB's: {'; '.join(words)}.",
        checks,
    )


def growth_claim(cells: Cells, panel: str, names: Sequence[str]) -> Claim:
    """n log n for lil-KLUCB against n^2 for sub-Gaussian algorithms, at alpha = 1."""
    own = fit_growth(row_of(cells, panel, OWN))
    fits = {name: fit for name in names if (fit := fit_growth(row_of(cells, panel, name)))}
    if own is None or not fits:
        return Claim(_growth_sentence(panel), "Too few sizes were finished.")
    words = [
        f"{name}'s like n^{fit.votes:.2f} (S_SG: n^{fit.sum_sub_gaussian:.2f}; n = {fit.range}) "
        f"and are {_last_ratio(cells, panel, name)}"
        for name, fit in fits.items()
    ]
    off = [abs(own.votes - own.sum_kl), *(abs(f.votes - f.sum_sub_gaussian) for f in fits.values())]
    return Claim(
        _growth_sentence(panel),
        f"lil-KLUCB's votes grow like n^{own.votes:.2f} (S_KL: n^{own.sum_kl:.2f}; "
        f"n = {own.range}); {'; '.join(words)}.",
        [distance <= CLOSE for distance in off],
    )


def _last_ratio(cells: Cells, panel: str, name: str) -> str:
    cell, own = pairs_of(cells, panel, name)[-1]
    return f"{cell.mean / own.mean:,.0f} times lil-KLUCB's at n = {cell.case.items:,}"


def _growth_sentence(panel: str) -> str:
    return f"{panel}: lil-KLUCB needs about n log n votes, sub-Gaussian algorithms n²"


def inner_claim(cells: Cells) -> Claim:
    """Little to gain where all means are well inside (0, 1)."""
    ratios = [cell.mean / own.mean for cell, own in pairs_of(cells, INNER, "lucb++")]
    if not ratios:
        return Claim("Away from 0 and 1 KL bounds gain little", "Not finished.")
    return Claim(
        "If all means are well away from 0 and 1, KL bounds may gain little on sub-Gaussian ones",
        f"With means from 1/4 to 3/4, LUCB++ needs {min(ratios):.2f} to {max(ratios):.2f} times "
        "lil-KLUCB's votes.",
        [1.0 / SIMILAR <= ratio <= SIMILAR for ratio in ratios],
    )


def floor_claim(cells: Cells) -> Claim:
    """Optimal for votes of 0 and 1, up to logarithmic factors."""
    ratios = [cell.over_floor for cell in own_cells(cells)]
    slopes = _slopes(cells, lambda cell: cell.over_floor)
    return Claim(
        "Up to logarithmic factors, no algorithm needs fewer votes than lil-KLUCB",
        f"lil-KLUCB needs {min(ratios):.1f} to {max(ratios):.1f} times the floor, below which no "
        "algorithm with the same error can be. With n, the ratio changes like "
        f"n^{min(slopes):+.2f} to n^{max(slopes):+.2f}.",
        [max(slopes) <= FLAT],
    )
