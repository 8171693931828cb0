"""Forty prompts, 300 questions, a judge that costs money: the best prompt with a part of the calls.

Run it twice: the second run is free, since every answer is in the cache.
"""

import random
import sys
import tempfile
from pathlib import Path

import plaudit

cache = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir()) / "prompts.db"
random.seed(1)
prompts = {f"prompt {number:02}": random.gauss(0.0, 0.12) for number in range(40)}
questions = [{"id": number, "difficulty": random.random()} for number in range(300)]


def judge(quality: float, question: dict[str, float]) -> float:
    """A simulated judge: points from 0 to 10, by the prompt, the question, and some chance."""
    chance = random.Random(f"{quality} {question['id']}").gauss(0.0, 0.15)
    return round(10 * min(1.0, max(0.0, 0.6 + quality - 0.4 * question["difficulty"] + chance)))


found = plaudit.evaluate(prompts, questions, judge, scale=(0, 10), cache=cache, version="1")
print(found)
means = {name: sum(judge(quality, q) for q in questions) / 300 for name, quality in prompts.items()}
print("the full grid says:", max(means, key=lambda name: means[name]))
