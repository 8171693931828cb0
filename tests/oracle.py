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


def excluded(name, counts, values, m, delta):
    """Whether the mixtures exclude a mean m above that of the votes."""
    if name == "betting":
        return capital(counts, values, m) > 1 / delta
    if m == 1:
        return True
    votes, rises = mp.fsum(counts), mp.fdot(counts, values)
    weight = weight_below(m)
    return beta_mixture(votes - rises, rises, m) > weight / delta + 1 - weight


def mixture_bound(name, side, counts, values, delta):
    """The bound of the mixtures, from the votes at each level; the lower is the mirror."""
    with mp.workdps(DIGITS + 20):
        values, counts, delta = (
            [mp.mpf(x) if side > 0 else 1 - mp.mpf(x) for x in values],
            [mp.mpf(c) for c in counts],
            mp.mpf(delta),
        )
        inside, outside = mp.fdot(counts, values) / mp.fsum(counts), mp.mpf(1)
        # At 1 itself the Beta mixture divides by 0, but for votes of 1 only.
        if inside == 1 or (name == "betting" and not excluded(name, counts, values, 1, delta)):
            return mp.mpf(1 if side > 0 else 0)
        for _ in range(int((DIGITS + 10) * 3.33)):
            middle = (inside + outside) / 2
            if excluded(name, counts, values, middle, delta):
                outside = middle
            else:
                inside = middle
        return inside if side > 0 else 1 - inside


def k_inf(counts, values, m):
    """The largest mean of ln(1 - lam (x-m)) over lam in [0, 1/(1-m)], by bisection of its slope."""
    votes, pairs = mp.fsum(counts), list(zip(counts, values, strict=True))

    def slope(lam):
        return -mp.fsum(c * (x - m) / (1 - lam * (x - m)) for c, x in pairs if c)

    low, high = mp.mpf(0), 1 / (1 - m)
    if any(c and x == 1 for c, x in pairs) or slope(high) < 0:
        for _ in range(int(mp.mp.prec)):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) > 0 else (low, middle)
        high = low
    return mp.fsum(c * mp.log(1 - high * (x - m)) for c, x in pairs if c) / votes


def kinf_upper(counts, values, delta):
    """Where t K_inf reaches its limit, by the method of false position."""
    votes, mean = mp.fsum(counts), mp.fdot(counts, values) / mp.fsum(counts)
    limit = evidence("kinf", votes, delta) / votes
    if mean == 1:
        return mean
    # Towards 1 it grows like -ln(1-m): in -ln(1-m) it is nearly straight.
    start, end = -mp.log(1 - mean), -mp.log(1 - mean) + limit + 1
    while k_inf(counts, values, -mp.expm1(-end)) < limit:
        end = 2 * end - start
    root = mp.findroot(
        lambda e: k_inf(counts, values, -mp.expm1(-e)) - limit,
        (start, end),
        solver="anderson",
        tol=mp.mpf(10) ** -45,
        verify=False,
    )
    return -mp.expm1(-root)


def bernstein_distance(counts, values, delta):
    """The smallest root in (0, 1] of lam t d - psi (W + t d^2) = ln((k+1)(k+2)/delta) over k."""
    votes, mean = mp.fsum(counts), mp.fdot(counts, values) / mp.fsum(counts)
    squares = mp.fsum(c * (x - mean) ** 2 for c, x in zip(counts, values, strict=True))
    best = mp.mpf(1)
    for k in range(100):
        lam = mp.mpf(2) ** (-1 - mp.mpf(k) / 2)
        psi = -mp.log(1 - lam) - lam
        a = mp.log((k + 1) * (k + 2) / delta)
        inside = (lam * votes) ** 2 - 4 * psi * votes * (psi * squares + a)
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
        inside, outside = mean, mp.mpf(1 if side > 0 else 0)
        if divergence(mean + lean * (outside - mean), outside) <= rate:
            return outside
        for _ in range(int((DIGITS + 10) * 3.33)):
            middle = (inside + outside) / 2
            if divergence(mean + lean * (middle - mean), middle) <= rate:
                inside = middle
            else:
                outside = middle
        return inside
