"""Fifty raters at once: none sees an item twice, and answers come late or never.

Each visit gets two items that this rater has not seen. A hundred answers are always on their way,
and one in ten never comes. The promise is the same, as long as it does not depend on the vote
whether an answer comes.
"""

import random

import plaudit

random.seed(1)
quality = [random.betavariate(1, 3) for _ in range(300)]
race = plaudit.Race(len(quality), delta=0.05, top=3, epsilon=0.2)
seen: list[set[int]] = [set() for _ in range(5000)]
waiting: list[tuple[int, int]] = []

while not race.verdict():
    rater = random.randrange(len(seen))
    for item in race.ask(2, exclude=seen[rater]):
        seen[rater].add(item)
        waiting.append((rater, item))
    while len(waiting) > 100:
        rater, item = waiting.pop(random.randrange(len(waiting)))
        if random.random() < 0.1:
            race.forget(item)  # this rater went away
        else:
            race.tell(item, float(random.random() < quality[item]))

print(race.verdict())
print("truly the best:", sorted(range(len(quality)), key=quality.__getitem__)[-3:])
race.plot().save("many_raters.svg")
