"""How callers see a race: frames and pictures.

It may use what a race says, and nothing that it runs on.
"""
