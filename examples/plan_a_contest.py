"""Planning: how many votes a contest will need, before it starts.

Two hundred captions, 95 % confidence. A forecast says what each slack costs, so that one can choose
a slack that the expected crowd can pay for.
"""

import altair as alt

import plaudit

rows = []
for epsilon in (0.3, 0.2, 0.15, 0.1):
    forecast = plaudit.plan(items=200, delta=0.05, epsilon=epsilon, races=8, seed=1)
    middle = forecast.votes
    rows.append({"epsilon": epsilon, "votes": float(middle.median)})
    print(f"epsilon {epsilon}: about {middle.median:,.0f} votes")
chart = alt.Chart(alt.Data(values=rows)).mark_line(point=True).encode(
    x=alt.X("epsilon:Q", title="slack allowed"), y=alt.Y("votes:Q"),
)  # fmt: skip
chart.properties(width=420, height=220).save("plan_a_contest.svg")
