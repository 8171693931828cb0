"""Table 1: the sums, their growth for large n, and what is concluded from them."""

import json

import numpy as np
import pytest
from mpmath import mp

from plaudit.bounds.bernoulli import chernoff_information
from plaudit.studies import table_1
from plaudit.studies.growth import Order, growth_exponent, last_decade
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options, StudyPlan
from plaudit.studies.table_1 import EXPONENTS, STUDY, sum_growth
from plaudit.studies.table_1.claims import affinity_claim, affinity_ratios
from plaudit.studies.table_1.power_gaps import expand_kl, expand_sub_gaussian, power_gaps, terms_kl
from plaudit.studies.table_1.sum_growth import COLUMNS, Growth, column_of, growths_of, paper_order
from plaudit.theory import hardness_kl, hardness_sub_gaussian, power_profile

SIZES = [100, 1000, 10_000]


@pytest.fixture(scope="module")
def small() -> tuple[StudyPlan, list[dict]]:
    """The study at three sizes, its results as they come back from the journal."""
    whole = STUDY.prepare(Options(quick=True))
    parts = [part for part in whole.parts if part["items"] in SIZES]
    plan = StudyPlan(whole.settings | {"sizes": SIZES}, parts)
    return plan, [json.loads(json.dumps(STUDY.work(None, part))) for part in parts]


def sums_at(exponent: float, items: int) -> tuple[float, float]:
    gaps = power_gaps(items, exponent)
    return float(terms_kl(gaps).sum()), float((1 / gaps**2).sum())


def test_the_exponents_are_on_both_sides_of_every_column():
    assert {column_of(a) for a in EXPONENTS} == set(COLUMNS)
    plan = STUDY.prepare(Options())
    assert max(part["items"] for part in plan.parts) == 10**6
    for edge in (0.5, 1.0):
        assert edge in EXPONENTS
        assert any(edge - 0.11 < a < edge for a in EXPONENTS)
        assert any(edge < a < edge + 0.11 for a in EXPONENTS)


@pytest.mark.parametrize("exponent", [0.25, 0.5, 1.0, 1.5])
def test_sums_are_those_of_the_means(exponent):
    """Against the general formula, which solves for D*; and the gap of 1 adds 0 and 1."""
    kl, sub_gaussian = sums_at(exponent, 50)
    table = np.append(1.0, 1.0 - power_gaps(50, exponent))
    assert kl == pytest.approx(hardness_kl(table), rel=1e-10)
    assert sub_gaussian == pytest.approx(hardness_sub_gaussian(table), rel=1e-10)
    section_5 = power_profile(50, exponent)
    assert kl == pytest.approx(hardness_kl(section_5), rel=1e-10)
    assert sub_gaussian - 1.0 == pytest.approx(hardness_sub_gaussian(section_5), rel=1e-10)


def test_a_gap_of_one_adds_nothing():
    assert terms_kl(np.array([1.0])).tolist() == [0.0]


@pytest.mark.parametrize("exponent", [0.25, 0.5, 0.9, 1.0, 1.1, 2.0])
def test_expansions_against_the_sums(exponent):
    """Exact up to terms that vanish: what is left is below 0.1 and falls with n."""
    for expand, name in ((expand_kl, 0), (expand_sub_gaussian, 1)):
        left = []
        for n in (100, 10_000):
            whole = sum(float(term(np.array([float(n)]))[0]) for term in expand(exponent))
            total = sums_at(exponent, n)[name]
            left.append(abs(total - whole) - 1e-13 * total)
        assert left[0] < 0.1
        assert left[1] < max(0.7 * left[0], 1e-6)


def test_coefficients_against_mpmath():
    """Zeta below and above 1, and the integral of h(x^a) at a = 1/2, which is 2 ln 2."""
    assert expand_kl(0.9)[1].coefficient == pytest.approx(float(mp.zeta("0.9")), rel=1e-12)
    assert expand_kl(2.0)[0].coefficient == pytest.approx(np.pi**2 / 6, rel=1e-12)
    assert expand_kl(0.5)[0].coefficient == pytest.approx(2 * np.log(2), rel=1e-9)
    with mp.workdps(20):
        whole = mp.quad(lambda x: -1 / mp.log(1 - x ** mp.mpf("0.25")), [0, 0.1, 0.9, 1])
    assert expand_kl(0.25)[0].coefficient == pytest.approx(float(whole), rel=1e-6)
    # gamma + J(1) = 0: no term in n at a = 1.
    assert [term.order for term in expand_kl(1.0)] == [Order(1.0, 1), Order(0.0)]


def test_growth_exponents():
    n = np.array([100, 300, 1000])
    assert growth_exponent(n, 7.0 * n**1.3) == pytest.approx(1.3)
    assert growth_exponent([10, 1000], [1.0, 1.0]) == pytest.approx(0.0, abs=1e-12)
    assert growth_exponent(n, Order(1.0, 1)(n)) == pytest.approx(1 + 1 / np.log(316), abs=0.005)
    assert last_decade([100, 300, 1000, 3000]) == [1, 2, 3]


def test_orders_of_the_table():
    assert str(paper_order(0.4, "S_SG")) == "n"
    assert str(paper_order(0.5, "S_SG")) == "n log n"
    assert str(paper_order(0.75, "S_SG")) == "n^1.5"
    assert [str(paper_order(a, "S_KL")) for a in (0.9, 1.0, 2.0)] == ["n", "n log n", "n^2"]


def test_the_paper_agrees(small):
    findings = STUDY.conclude(*small)
    assert [claim.agreement for claim in findings.claims] == ["agrees"] * 14
    slow = next(
        claim for claim in findings.claims if claim.paper == "S_KL grows like n for 1/2 < α < 1"
    )
    assert "At α = 0.75, 0.9 the sum itself is not there yet" in slow.measured


@pytest.mark.parametrize(
    ("column", "name", "wrong"),
    [
        ("1/2 < α < 1", "S_KL", "n log n"),
        ("α = 1", "S_KL", "n"),
        ("α = 1/2", "S_SG", "n"),
        ("α > 1", "S_SG", "n^α"),
        ("0 < α < 1/2", "S_KL", "n^2α"),
    ],
)
def test_a_wrong_order_differs(small, monkeypatch, column, name, wrong):
    """Even n log n for n, which no exponent of the sum itself would tell apart near alpha = 1."""
    monkeypatch.setitem(COLUMNS, column, COLUMNS[column] | {name: wrong})
    claims = STUDY.conclude(*small).claims
    differs = [claim.paper for claim in claims if claim.agreement == "differs"]
    assert differs == [f"{name} grows like {wrong} for {column}"]


def test_wrong_sums_differ(small):
    """A term too many, of another order, shows in its cells and nowhere else."""
    plan, results = small
    spoilt = [
        result | {"S_SG": result["S_SG"] + part["items"] ** 1.3}
        for part, result in zip(plan.parts, results, strict=True)
    ]
    claims = STUDY.conclude(plan, spoilt).claims
    assert claims[5].paper == "S_SG grows like n for 0 < α < 1/2"
    assert claims[5].agreement == "differs"
    assert claims[7].checks == [False, False, True]
    assert {claim.agreement for claim in claims[:5]} == {"agrees"}


def test_claims_around_the_table_can_fail(small):
    plan, results = small
    broken = [result | {"inverse_gaps": result["S_KL"] / 2.1} for result in results]
    assert STUDY.conclude(plan, broken).claims[11].agreement == "differs"
    broken = [result | {"S_KL_of_means": 2.1 * result["inverse_gaps"]} for result in results]
    assert STUDY.conclude(plan, broken).claims[11].agreement == "differs"
    broken = [result | {"middle_least_information": 0.99} for result in results]
    assert STUDY.conclude(plan, broken).claims[12].agreement == "differs"
    broken = [result | {"middle_S_KL": 3 * result["middle_S_SG"]} for result in results]
    assert STUDY.conclude(plan, broken).claims[13].agreement == "differs"


def test_the_inequality_of_section_2_1():
    """It is the minimum that the paper says, in 30 digits; D* is above it, and can be equal."""

    def divergence(x, m):
        return x * mp.log(x / m) + (1 - x) * mp.log((1 - x) / (1 - m))

    with mp.workdps(30):
        for low, high in ((0.25, 0.75), (0.1, 0.3), (1e-6, 0.5), (0.9, 0.999)):
            one, other = mp.mpf(low), mp.mpf(high)
            # Where the derivative of D(x, m) + D(x, m') is 0 the odds are the geometric mean.
            odds = mp.sqrt(one / (1 - one) * other / (1 - other))
            x = odds / (1 + odds)
            least = (divergence(x, one) + divergence(x, other)) / 2
            roots = mp.sqrt(one * other) + mp.sqrt((1 - one) * (1 - other))
            assert abs(least + mp.log(roots)) < mp.mpf(10) ** -25
            near = (divergence(x + mp.mpf("1e-9"), one) + divergence(x + mp.mpf("1e-9"), other)) / 2
            assert near > least
            assert chernoff_information(low, high) >= float(least) * (1 - 1e-12)
    ratios = affinity_ratios()
    assert affinity_claim(ratios).agreement == "agrees"
    assert min(ratios) == pytest.approx(1.0, abs=1e-9)
    assert affinity_claim([*ratios, 0.999]).agreement == "differs"


def test_least_information():
    """D*(1/4, 3/4) = D(1/2, 1/4) = ln(4/3)/2, over 1/8."""
    ratio = table_1._least_information(np.array([0.75, 0.25]))
    assert ratio == pytest.approx(np.log(4 / 3) / 2 / 0.125, rel=1e-9)


def test_a_power_law_is_its_own_order(monkeypatch):
    n = np.array([100.0, 300.0, 1000.0])
    growth = Growth("S_SG", 1.0, n, 2.0 * n**2, n**2)
    monkeypatch.setitem(sum_growth.EXPANSIONS, "S_SG", lambda a: expand_sub_gaussian(a)[:1])
    assert growth.slope == pytest.approx(2.0)
    assert growth.agrees
    assert not growth.converging
    assert growth.drift == pytest.approx(0.0, abs=1e-12)


def test_files(small, tmp_path):
    plan, results = small
    findings = STUDY.conclude(plan, results)
    write_findings(STUDY, Options(quick=True), plan, findings, tmp_path)
    assert {path.suffix for path in tmp_path.glob("figure.*")} == {".svg", ".png", ".pdf"}
    for name in ("growth.csv", "sums.csv", "result.json"):
        assert (tmp_path / name).stat().st_size > 1000
    growths = growths_of([{**p, **r} for p, r in zip(plan.parts, results, strict=True)], SIZES)
    assert len(growths) == 2 * len(EXPONENTS)
    assert (tmp_path / "page.md").read_text("utf-8").count("**agrees**") == 14
