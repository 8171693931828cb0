"""A frame of votes, ranked: pandas in, pandas out.

One vote a row, with its rater. `rank` gives each item its interval and its standing; `compare` says
by how much the leader beats each other item, rater by rater. Needs: pip install 'plaudit[pandas]'.
"""

import altair as alt
import numpy as np
import pandas

from plaudit.adapters.pandas import compare, rank

rng = np.random.default_rng(6)
kind = rng.normal(0, 0.15, size=150)
names, means = ["Ada", "Ben", "Cleo", "Dan"], [0.7, 0.55, 0.5, 0.3]
frame = pandas.DataFrame(
    [
        {"rater": rater, "item": name, "vote": float(np.clip(mean + kind[rater] + noise, 0, 1))}
        for rater in range(150)
        for name, mean, noise in zip(names, means, rng.normal(0, 0.1, 4), strict=True)
    ]
)
ranking, verdict = rank(frame, rater="rater", delta=0.05)
print(ranking.round(3).to_string(index=False))
print(verdict)
differences, _ = compare(frame, delta=0.05)
print(differences.round(3).to_string(index=False))
base = alt.Chart(alt.Data(values=ranking.to_dict("records"))).encode(y=alt.Y("item:N", title=None))
ends = base.mark_rule(strokeWidth=3).encode(x=alt.X("lower:Q", title="mean vote"), x2="upper:Q")
dots = base.mark_point(filled=True, size=70).encode(x="mean:Q", color="standing:N")
(ends + dots).properties(width=420, height=120).save("pandas_votes.svg")
