"""Planning: how many votes a contest will need, before it starts.

A hundred captions, 95 % confidence. A forecast says what each slack costs, so that one can choose
a slack that the expected crowd can pay for.
"""

import altair as alt

import plaudit

forecast = plaudit.plan(items=100, delta=0.05, epsilon=0.15, races=4, seed=1)
print(f"epsilon 0.15: about {forecast.verdict.votes.median:,.0f} votes")
rows = [
    {"votes": int(point.votes), "epsilon": float(point.epsilon.median)}
    for point in forecast.curve
    if point.epsilon.median is not None
]
chart = alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(
    x=alt.X("votes:Q", scale=alt.Scale(type="log")),
    y=alt.Y("epsilon:Q", title="certain up to this slack"),
)  # fmt: skip
chart.properties(width=420, height=220).save("plan_a_contest.svg")
