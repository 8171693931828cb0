"""The best of forty prompts: 300 questions, a judge that costs money, and a part of the calls.

Candidates that are surely not the best are asked no more. Answers are kept in `prompts.db`: run it
twice, and the second run is free.
"""

import random

import altair as alt

import plaudit

random.seed(1)
prompts = {f"prompt {number:02}": random.gauss(0.0, 0.12) for number in range(40)}
questions = [{"id": number, "difficulty": random.random()} for number in range(300)]


def judge(quality: float, question: dict[str, float]) -> float:
    """A simulated judge: points from 0 to 10, by the prompt, the question, and some chance."""
    chance = random.Random(f"{quality} {question['id']}").gauss(0.0, 0.15)
    return round(10 * min(1.0, max(0.0, 0.6 + quality - 0.4 * question["difficulty"] + chance)))


found = plaudit.evaluate(prompts, questions, judge, scale=(0, 10), cache="prompts.db", version="1")
print(found)
means = {name: sum(judge(quality, q) for q in questions) / 300 for name, quality in prompts.items()}
print("the full grid says:", max(means, key=lambda name: means[name]))
rows = [{"prompt": row.candidate, "calls": row.examples} for row in found.ranked()]
chart = alt.Chart(alt.Data(values=rows)).mark_bar().encode(
    x=alt.X("calls:Q", title="calls for each prompt (of 300)"),
    y=alt.Y("prompt:N", sort=None, title=None),
)  # fmt: skip
chart.properties(width=420, height=360).save("evaluate_prompts.svg")
