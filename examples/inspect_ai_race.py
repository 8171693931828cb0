"""inspect_ai: three solvers answer the same questions, and those that are worse stop early.

The tasks share one race. The model is inspect's own mock, so no account is needed.
Needs: pip install 'plaudit[inspect]'.
"""

import random
import tempfile

import altair as alt
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, TaskState, solver

from plaudit.adapters.inspect_ai import SharedRace

SKILL = {"terse": 0.9, "polite": 0.6, "rambling": 0.3}
questions = [Sample(input=f"{n} + {n}", target=str(2 * n), id=n) for n in range(400)]
random.Random(1).shuffle(questions)


@solver
def answers(skill: float):  # a real solver would prompt and call the model
    luck = random.Random(int(100 * skill))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        right = luck.random() < skill
        said = state.target.text if right else "no idea"
        state.output = ModelOutput.from_content("mockllm/model", said)
        return state

    return solve


race = SharedRace(list(SKILL), delta=0.05)
tasks = [
    Task(
        dataset=MemoryDataset(questions),
        solver=answers(skill),
        scorer=match(),
        name=name,
        early_stopping=race.entrant(name),
    )
    for name, skill in SKILL.items()
]
with tempfile.TemporaryDirectory() as folder:
    logs = eval(
        tasks, model=get_model("mockllm/model"), max_tasks=3, log_dir=folder, display="none"
    )
rows = [log.results.early_stopping.metadata for log in logs]
for row in rows:
    print(f"{row['task']}: {row['answered']} of 400 questions, {row['standing']}")
print(race.verdict())
chart = alt.Chart(alt.Data(values=rows)).mark_bar().encode(
    x=alt.X("answered:Q", title="questions asked, of 400", scale=alt.Scale(domain=[0, 400])),
    y=alt.Y("task:N", title=None),
    color=alt.Color("standing:N", title=None),
)  # fmt: skip
chart.properties(width=420, height=90).save("inspect_ai_race.svg")
