"""The same examples for all: pairs tell candidates apart with far fewer calls.

Four prompts answer the same questions, some of which are hard for every prompt. Judged one by one,
hard questions are noise. Compared question by question they fall out, and the race needs a fraction
of the calls.
"""

import altair as alt
import numpy as np

import plaudit
from plaudit.scale import THUMBS

rng = np.random.default_rng(5)
skill = np.array([0.70, 0.60, 0.55, 0.45])
calls = {"paired": [], "apart": []}
for _ in range(5):
    ease = rng.random(20_000)
    right = ease[:, None] + 0.1 * rng.normal(size=(20_000, 4)) < skill
    paired = plaudit.PairedRace(4, delta=0.05, scale=THUMBS)
    row = 0
    while not paired.verdict():
        paired.tell({item: float(right[row, item]) for item in paired.ask()})
        row += 1
    calls["paired"].append(paired.votes)
    apart = plaudit.Race(4, delta=0.05, scale=THUMBS)
    place = np.zeros(4, int)
    while not apart.verdict():
        for item in apart.ask(4):
            apart.tell(item, float(right[place[item], item]))
            place[item] += 1
    calls["apart"].append(apart.votes)
rows = [{"judged": name, "calls": one} for name, found in calls.items() for one in found]
for name, found in calls.items():
    print(f"{name}: {np.median(found):,.0f} calls")
chart = alt.Chart(alt.Data(values=rows)).mark_tick(thickness=2).encode(
    x=alt.X("calls:Q", title="calls until the verdict (5 races)"), y=alt.Y("judged:N", title=None),
)  # fmt: skip
chart.properties(width=420, height=90).save("paired_prompts.svg")
