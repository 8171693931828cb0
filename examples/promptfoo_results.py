"""promptfoo: what a result file proves, and which calls would decide the rest.

The file is written here as `promptfoo eval --output results.json` writes it. On the command line:
plaudit promptfoo results.json.
"""

import json
import random
from pathlib import Path

import altair as alt

from plaudit.adapters.promptfoo import read_results

random.seed(8)
prompts = {"short": 0.85, "step by step": 0.75, "shouting": 0.3}
results = []
for test in range(80):
    luck = random.random()
    for column, (label, skill) in enumerate(prompts.items()):
        passed = 0.7 * luck + 0.3 * random.random() < skill
        results.append(
            {
                "promptIdx": column,
                "testIdx": test,
                "score": float(passed),
                "success": passed,
                "failureReason": 0 if passed else 1,
                "prompt": {"raw": label, "label": label},
                "provider": {"id": "echo"},
                "testCase": {"vars": {"question": test}},
            }
        )
Path("results.json").write_text(json.dumps({"results": {"version": 3, "results": results}}))

found = read_results("results.json")
race = found.race(delta=0.05)
print(race.verdict())
for pair in found.to_decide(race):
    print(f"{pair.first} or {pair.second}: {pair.tests} tests, about {pair.needed} needed")
best = race.leaders[0]
rows = [
    vars(race.difference(best, other)) | {"than": found.candidates[other]}
    for other in range(len(found.candidates))
    if other != best
]
base = alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("than:N", title=None))
ends = base.mark_rule(strokeWidth=3).encode(
    x=alt.X("lower:Q", title=f"how much better is {found.candidates[best]}"), x2="upper:Q"
)
(ends + base.mark_point(filled=True, size=70).encode(x="mean:Q")).properties(
    width=420, height=90
).save("promptfoo_results.svg")
