"""Verdicts that withstand dishonest raters: bounds without the votes that they may have cast.

`trimming` leaves out an item's lowest or highest votes, `withstanding` finds how many dishonest
raters a verdict withstands, and `excluded` whether a verdict needs the exclusion of raters.
docs/theory/tolerance.md and docs/theory/crowds.md have the theorems. It imports what the rest of
`race` imports.
"""
