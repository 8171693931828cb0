"""Shortlists: what is certain for every number of items, at any moment.

After 20,000 votes on a synthetic caption contest the race is not over. But for each k it can say
up to what slack its first k captions are the best k: with 95 % confidence for all k at once.
"""

import altair as alt
import numpy as np

import plaudit

rng = np.random.default_rng(3)
means = np.sort(rng.beta(1.2, 3, size=400))[::-1]
race = plaudit.Race(400, delta=0.05, top=10)
for _ in range(200):
    items = np.array(race.ask(100))
    race.tell_many(items, (rng.random(items.size) < means[items]).astype(float))

lists = race.shortlists()
for k in (1, 5, 10, 20):
    print(f"The first {k} are the best {k} up to {lists.epsilon[k - 1]:.3f}.")
rows = [{"k": int(k), "slack": float(e)} for k, e in zip(lists.k, lists.epsilon, strict=True)]
chart = alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(
    x=alt.X("k:Q", title="how many items"), y=alt.Y("slack:Q", title="certain up to"),
)  # fmt: skip
chart.properties(width=420, height=220).save("shortlists.svg")
