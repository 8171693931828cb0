"""Races again: slow, obvious and independent of the package; tests compare vote for vote."""
