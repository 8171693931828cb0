"""Verdicts that withstand dishonest raters: bounds without the votes that they may have cast.

`trimming` leaves out an item's lowest or highest votes; `withstanding` finds how many dishonest
raters a verdict withstands. docs/theory/tolerance.md has the theorems. It imports what the rest
of `race` imports.
"""
