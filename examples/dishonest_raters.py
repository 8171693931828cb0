"""Dishonest raters: how many liars a verdict withstands, as votes come in.

Two hundred raters rate five items. The race does not stop at the first moment when honest votes
would do: it goes on, and says after every rater how many of them may have lied, in league and
knowing everything, without making its leader wrong.
"""

import altair as alt
import numpy as np

import plaudit

rng = np.random.default_rng(4)
means = np.array([0.85, 0.5, 0.4, 0.3, 0.2])
race = plaudit.PairedRace(5, delta=0.05, tolerance=30)
rows = []
for rater in range(1, 201):
    race.tell({item: float(rng.random() < mean) for item, mean in enumerate(means)})
    rows.append({"raters": rater, "liars": race.withstands() or 0})
print(
    f"After 200 raters item {race.leaders[0]} leads, even if any {rows[-1]['liars']} of them lied."
)
chart = alt.Chart(alt.Data(values=rows)).mark_line(interpolate="step-after").encode(
    x=alt.X("raters:Q"), y=alt.Y("liars:Q", title="liars withstood"),
)  # fmt: skip
chart.properties(width=420, height=220).save("dishonest_raters.svg")
