"""On what grounds raters are excluded, and what becomes of their votes.

Whoever is excluded after a look at their votes may have been honest, so their votes are kept aside:
a verdict says whether it is the same with or without them (docs/theory/crowds.md). Whoever is
excluded on other grounds, or asked to be erased, is left out at no price.
"""

from plaudit.words import N_

VOTES, SPEED, ADDRESS, ROBOT, DOOR = "votes", "speed", "address", "robot", "door"
GROUNDS = (VOTES, SPEED, ADDRESS, ROBOT, DOOR)
# Logs of earlier editions do not say why raters were excluded: perhaps by their votes.
UNKNOWN = ""
# Not a ground that anybody gives: raters who were erased at their own wish.
ERASED = "erased"
BY_VOTES = frozenset({UNKNOWN, VOTES})

# What files call grounds that a log does not say.
UNNAMED = "unknown"

# What becomes of a vote: it counts, is kept aside, or is left out.
COUNTED, ASIDE, OUT = range(3)

# What each of the grounds is called in a choice.
NAMES = {
    VOTES: N_("how they voted"),
    SPEED: N_("speed"),
    ADDRESS: N_("their address"),
    ROBOT: N_("a known robot"),
    DOOR: N_("they should not have been let in"),
}
# What was done on each of the grounds.
DEEDS = {
    VOTES: N_("excluded {raters} because of how they voted"),
    SPEED: N_("excluded {raters} because of their speed"),
    ADDRESS: N_("excluded {raters} because of their address"),
    ROBOT: N_("excluded {raters} as a known robot"),
    DOOR: N_("excluded {raters}, who should not have been let in"),
}


def grounds_name(grounds: str) -> str:
    """What files call the grounds.

    >>> grounds_name("speed"), grounds_name("")
    ('speed', 'unknown')
    """
    return UNNAMED if grounds == UNKNOWN else grounds
