"""Charts of studies and forecasts: Vega-Lite specifications with one look, and their files.

Each module draws one kind of chart from plain rows; `theme` is the look of all, and `files` writes
SVG, PNG and PDF. This room computes nothing of its own, and only `files` writes.
"""
