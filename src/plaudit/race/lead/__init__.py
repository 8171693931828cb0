"""Leaders that are appointed: the stoppings `lead` and `fresh`.

An item that is appointed starts with a capital of 1 from that moment on, at the price of its rank
among those appointed; so no item pays for a thousand others that might have led by luck. Its
capital is multiplied with that of each rival, from votes that no rater gave together with others.
`fresh` asks by the usual rule and separates (docs/theory/fresh.md). `lead` has a rule of its own,
for races without slack (docs/theory/lead.md).
This room reads and writes the state of a race, and nothing else.
"""
