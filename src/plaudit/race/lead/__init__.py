"""Leaders that are appointed: the stoppings `lead` and `fresh`.

An item that is appointed starts with a capital of 1 from that moment on, at the price of its rank
among those appointed; so no item pays for a thousand others that might have led by luck. `fresh`
gives it a second lower bound, for every crowd (docs/theory/fresh.md). `lead` multiplies its capital
with that of its rivals, for independent votes, and has a rule of its own (docs/theory/lead.md).
This room reads and writes the state of a race, and nothing else.
"""
