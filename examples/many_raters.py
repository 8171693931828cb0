"""Fifty raters at once, none of whom sees an item twice; answers come late or never."""

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
