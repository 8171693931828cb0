"""A first race: six drinks by name, and the picture of what the votes prove.

The race asks about two drinks at a time, where it matters. It stops when one of them is certainly
the best. The drinks that are clearly worse have few votes and wide intervals: nobody needs to know
them better.
"""

import random

import plaudit

random.seed(1)
liked = {"tea": 0.3, "coffee": 0.75, "milk": 0.2, "juice": 0.5, "water": 0.4, "cocoa": 0.45}

race = plaudit.Race(list(liked), delta=0.05)
while not race.verdict():
    for drink in race.ask(2):
        race.tell(drink, float(random.random() < liked[drink]))

print(race.verdict())
race.plot().save("first_race.svg")
