"""What moderators review: flagged items, suspicious raters, and the ranking without them.

Promises: the tests of raters keep their stated rate of false alarms. It changes no contest; steps
are taken at the desk.
"""
