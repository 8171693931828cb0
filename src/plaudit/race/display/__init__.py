"""How callers see a race: its report, frames and pictures.

Nothing here changes a race. The report reads what the race runs on; frames and pictures only what
it says.
"""
