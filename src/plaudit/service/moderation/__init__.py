"""Moderation: flagged items, suspicious raters, reviews, and the ranking without some raters.

Promises: the tests of raters keep their stated rate of false alarms. It changes no contest; the
desk does that.
"""
