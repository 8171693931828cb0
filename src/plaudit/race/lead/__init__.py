"""A leader's evidence begun afresh: the stopping `lead` and its rule, for independent votes.

An item that is appointed leader starts with a capital of 1 from that moment on, at the price of its
rank among those appointed; so no item pays for a thousand others that might have led by luck.
docs/theory/lead.md has the proof. This room reads and writes the state of a race, and nothing else.
"""
