"""Every bound anew, in 50-digit arithmetic and by bisection: slow, and independent."""

from functools import cache

import mpmath as mp

DIGITS = 50
MIXTURES = ("beta-mixture", "betting")
# The others that read levels.
FROM_LEVELS = ("kinf", "empirical-bernstein")
RADII = ("sg1", "sg2", "hoeffding", "elimination", "lil-ucb", "stitched")


def divergence(x, y):
    """D(x, y) with 0 ln 0 = 0."""
    total = mp.mpf(0)
    for a, b in ((x, y), (1 - x, 1 - y)):
        if a > 0:
            if b == 0:
                return mp.inf
            total += a * mp.log(a / b)
    return total


@cache
def peeling_total(N, digits):
    """The sum in kappa(N), at the working precision (which the cache must tell apart)."""
    assert digits == mp.mp.dps
    power = mp.mpf(N + 1) / N
    octave = N.bit_length() - 1
    early = sum(mp.log(2 * s, 2) ** -power for s in range(1, N + 1)) if octave else 0
    return early + N * mp.zeta(power, octave + 1)


def evidence(name, votes, delta, N=8, time=None):
    """ln(...) of the bound's definition: the rate times the votes, without constants."""
    t, delta = mp.mpf(votes), mp.mpf(delta)
    time = max(mp.mpf(time or 1), t)
    if name in ("lil-kl", "lil-kl-2", "sg1"):
        total = peeling_total(N, mp.mp.dps)
        kappa = delta ** (mp.mpf(1) / (N + 1)) * total ** (mp.mpf(N) / (N + 1))
        return mp.log(kappa * mp.log(2 * t, 2) / delta)
    if name == "sg2":
        x = mp.log(1 / min(delta, mp.mpf(0.1)))
        return x + 3 * mp.log(x) + mp.mpf(3) / 2 * mp.log(mp.log(mp.e * t))
    if name == "kl-lucb":
        x = mp.log(mp.mpf("405.5") * time ** mp.mpf("1.1") / delta)
        return x + mp.log(x)
    if name == "hoeffding":
        return mp.log(mp.mpf(5) / 4 * time**4 / delta)
    if name == "elimination":
        return mp.log(5 * t**2 / delta)
    if name == "kinf":
        return mp.log((t + 1) / delta)
    if name == "stitched":
        # As published, in intrinsic time v with eta = 2, s = 1.4, m = 1.
        v, s = max(t / 4, mp.mpf(1)), mp.mpf("1.4")
        return s * mp.log(mp.log(2 * v)) + mp.log(mp.zeta(s) / (delta * mp.log(2) ** s))
    assert name == "lil-ucb"
    eta = mp.mpf("0.01")
    constant = (2 + eta) / eta * (1 / mp.log(1 + eta)) ** (1 + eta)
    omega = (delta / constant) ** (1 / (1 + eta))
    return mp.log(mp.log((1 + eta) * t) / omega)


def radius(name, votes, delta, N=8, time=None):
    """The half-width of the bounds that have one."""
    e, t = evidence(name, votes, delta, N, time), mp.mpf(votes)
    if name == "sg1":
        return (mp.mpf(N + 1) / N) * mp.sqrt(e / (2 * t))
    if name == "elimination":
        return mp.sqrt(e / t)
    if name == "lil-ucb":
        eta = mp.mpf("0.01")
        return (1 + mp.sqrt(eta)) * mp.sqrt((1 + eta) * e / (2 * t))
    if name == "stitched":
        quarter = mp.mpf(1) / 4
        k1 = (2**quarter + 2**-quarter) / mp.sqrt(2)
        return k1 * mp.sqrt(max(t / 4, mp.mpf(1)) * e) / t
    return mp.sqrt(e / (2 * t))


def boundary(gap, inside, outside):
    """Where the gap, negative at `inside` and positive at `outside`, is 0, to DIGITS digits.

    Halvings and secants of the place's log-odds between the two, in which the gap is smooth at
    either end. What they find is believed once the gap was seen on both sides of it.
    """

    def at(odds):
        return inside + (outside - inside) / (1 + mp.exp(-odds))

    low, high, fine = mp.mpf(-140), mp.mpf(140), mp.mpf(10) ** -(DIGITS + 5)
    if gap(at(high)) <= 0:
        return outside
    while high - low > 1:
        middle = (low + high) / 2
        low, high = (low, middle) if gap(at(middle)) > 0 else (middle, high)
    found = mp.findroot(
        lambda odds: gap(at(odds)), (low, high), solver="secant", tol=fine**0.75, verify=False
    )
    place, step = at(found), fine if inside < outside else -fine
    assert abs(place - inside) < fine or gap(place - step) <= 0
    assert abs(place - outside) < fine or gap(place + step) > 0
    return place


def beta_mixture(falls, rises, m):
    """M(m), the mixture of likelihood ratios over Beta(1/2, 1/2)."""
    half = mp.mpf(1) / 2
    return mp.beta(rises + half, falls + half) / (mp.pi * m**rises * (1 - m) ** falls)


def weight_below(m):
    """The weight of Beta(1/2, 1/2) below m."""
    return 2 / mp.pi * mp.asin(mp.sqrt(m))


@cache
def bets(digits):
    """Sizes and first capitals of the bets."""
    assert digits == mp.mp.dps
    low, high = mp.log(mp.mpf("0.001")), mp.log(100)
    sizes = [mp.exp(low + (high - low) * k / 23) for k in range(24)]
    shares = [size ** mp.mpf("0.4") for size in sizes]
    return [(size, share / sum(shares)) for size, share in zip(sizes, shares, strict=True)]


@cache
def winnings(counts, values, digits):
    """What each bet wins from the votes, before the odds are taken off."""
    pairs = list(zip(counts, values, strict=True))
    return [
        first * mp.fprod((1 + size * (1 - x)) ** c for c, x in pairs)
        for size, first in bets(digits)
    ]


def capital(counts, values, m):
    """Of all bets against a mean of m or more, after `counts` votes at each of `values`."""
    votes, won = mp.fsum(counts), winnings(tuple(counts), tuple(values), mp.mp.dps)
    odds = [(1 + size * (1 - m)) ** votes for size, _ in bets(mp.mp.dps)]
    return mp.fsum(w / o for w, o in zip(won, odds, strict=True))


def overshoot(name, counts, values, m, delta):
    """By how much the mixtures exclude a mean m above that of the votes, as a logarithm."""
    if name == "betting":
        return mp.log(capital(counts, values, m) * delta)
    votes, rises = mp.fsum(counts), mp.fdot(counts, values)
    weight = weight_below(m)
    return mp.log(beta_mixture(votes - rises, rises, m) / (weight / delta + 1 - weight))


def mixture_bound(name, side, counts, values, delta):
    """The bound of the mixtures, from the votes at each level; the lower is the mirror."""
    with mp.workdps(DIGITS + 20):
        values, counts, delta = (
            [mp.mpf(x) if side > 0 else 1 - mp.mpf(x) for x in values],
            [mp.mpf(c) for c in counts],
            mp.mpf(delta),
        )
        mean, end = mp.fdot(counts, values) / mp.fsum(counts), mp.mpf(1)
        # At 1 itself the Beta mixture divides by 0, but for votes of 1 only.
        if mean == 1 or (name == "betting" and overshoot(name, counts, values, end, delta) <= 0):
            return mp.mpf(1 if side > 0 else 0)
        upper = boundary(lambda m: overshoot(name, counts, values, m, delta), mean, end)
        return upper if side > 0 else 1 - upper


def k_inf(counts, values, m):
    """The largest mean of ln(1 - s (x-m)/(1-m)) over s in [0, 1]: where its slope is 0."""
    votes = mp.fsum(counts)
    pairs = [(c, (x - m) / (1 - m)) for c, x in zip(counts, values, strict=True) if c]

    def fall(s):
        return mp.fsum(c * x / (1 - s * x) for c, x in pairs)

    inner = any(x == 1 for _, x in pairs) or fall(mp.mpf(1)) > 0
    best = boundary(fall, mp.mpf(0), mp.mpf(1)) if inner else mp.mpf(1)
    return mp.fsum(c * mp.log(1 - best * x) for c, x in pairs) / votes


def kinf_upper(counts, values, delta):
    """Where t K_inf reaches its limit."""
    votes, mean = mp.fsum(counts), mp.fdot(counts, values) / mp.fsum(counts)
    limit = evidence("kinf", votes, delta) / votes
    if mean == 1:
        return mean
    return boundary(lambda m: k_inf(counts, values, m) - limit, mean, mp.mpf(1))


@cache
def bernstein_sizes(digits):
    """lam, psi(lam) and ln((k+1)(k+2)) for each k."""
    assert digits == mp.mp.dps
    sizes = [mp.mpf(2) ** (-1 - mp.mpf(k) / 2) for k in range(100)]
    return [(s, -mp.log(1 - s) - s, mp.log((k + 1) * (k + 2))) for k, s in enumerate(sizes)]


def bernstein_distance(counts, values, delta):
    """The smallest root in (0, 1] of lam t d - psi (W + t d^2) = ln((k+1)(k+2)/delta) over k."""
    votes, mean = mp.fsum(counts), mp.fdot(counts, values) / mp.fsum(counts)
    squares = mp.fsum(c * (x - mean) ** 2 for c, x in zip(counts, values, strict=True))
    best, error = mp.mpf(1), -mp.log(delta)
    for lam, psi, share in bernstein_sizes(mp.mp.dps):
        inside = (lam * votes) ** 2 - 4 * psi * votes * (psi * squares + share + error)
        if inside >= 0:
            best = min(best, (lam * votes - mp.sqrt(inside)) / (2 * psi * votes))
    return best


def from_levels(name, side, counts, values, delta):
    """The bound of any that reads levels; the lower is the mirror."""
    if name in MIXTURES:
        return mixture_bound(name, side, counts, values, delta)
    with mp.workdps(DIGITS + 20):
        counts, delta = [mp.mpf(c) for c in counts], mp.mpf(delta)
        values = [mp.mpf(x) if side > 0 else 1 - mp.mpf(x) for x in values]
        if name == "kinf":
            upper = kinf_upper(counts, values, delta)
        else:
            mean = mp.fdot(counts, values) / mp.fsum(counts)
            upper = min(1, mean + bernstein_distance(counts, values, delta))
        return upper if side > 0 else 1 - upper


def bound(name, side, mean, votes, delta, N=8, time=None):
    """The upper (side 1) or lower (side -1) bound, to DIGITS digits."""
    with mp.workdps(DIGITS + 20):
        mean = mp.mpf(mean)
        if name in (*MIXTURES, "empirical-bernstein"):
            counts = [(1 - mean) * votes, mean * votes]
            return from_levels(name, side, counts, [0, 1], delta)
        if name in RADII:
            return min(1, max(0, mean + side * radius(name, votes, delta, N, time)))
        rate = evidence(name, votes, delta, N, time) / votes
        if name == "lil-kl-2":
            rate *= mp.mpf(N + 1) / (N - mp.log(N + 1))
        lean = mp.mpf(1) / (N + 1) if name == "lil-kl" else mp.mpf(0)
        end = mp.mpf(1 if side > 0 else 0)

        def gap(m):
            return divergence(mean + lean * (m - mean), m) - rate

        return end if gap(end) <= 0 else boundary(gap, mean, end)


def capital_in_order(values, of, m):
    """Of all bets against a mean of m or less, where `of` values are drawn without replacement."""
    total = mp.mpf(0)
    for size, first in bets(mp.mp.dps):
        product, so_far = first, mp.mpf(0)
        for place, x in enumerate(values):
            fair = m if of is None else (of * m - so_far) / (of - place)
            product *= (1 + size * x) / (1 + size * fair)
            so_far += x
        total += product
    return total


def in_order(side, values, of, delta, least):
    """The bound on the mean of all from values in their order; the upper is the mirror."""
    with mp.workdps(DIGITS + 20):
        span = 1 - mp.mpf(least)
        scaled = [(mp.mpf(x) - least) / span for x in values]
        scaled = [1 - x for x in scaled] if side > 0 else scaled
        low = mp.mpf(0) if of is None else mp.fsum(scaled) / of
        high = mp.mpf(1) if of is None else low + mp.mpf(of - len(values)) / of

        def gap(m):
            return -mp.log(capital_in_order(scaled, of, m) * delta)

        lower = low if low == high or gap(low) > 0 else boundary(gap, low, high)
        return least + span * (1 - lower) if side > 0 else least + span * lower
