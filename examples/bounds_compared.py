"""Bounds by name: how wide each interval is after so many votes.

All of them hold at all times at once, so that one may look whenever one likes. The default,
betting, is the narrowest for most votes of people; Hoeffding's does not profit from votes that
agree.
"""

import altair as alt
import numpy as np

from plaudit import bounds

votes = np.unique(np.geomspace(4, 20_000, 60).astype(int))
rows = []
for name in ("betting", "beta-mixture", "lil-kl", "empirical-bernstein", "hoeffding"):
    bound = bounds.get(name)
    for n in votes.tolist():
        mean = round(0.1 * n) / n
        # Both ends: half of delta each.
        width = bound.upper(mean, n, 0.025) - bound.lower(mean, n, 0.025)
        rows.append({"bound": name, "votes": n, "width": float(width)})
    print(f"{name}: {rows[-1]['width']:.4f} wide after {n:,} votes, one in ten of them yes")
chart = alt.Chart(alt.Data(values=rows)).mark_line().encode(
    x=alt.X("votes:Q", scale=alt.Scale(type="log")),
    y=alt.Y("width:Q", scale=alt.Scale(type="log"), title="width of the interval"),
    color=alt.Color("bound:N", title=None),
)  # fmt: skip
chart.properties(width=420, height=260).save("bounds_compared.svg")
