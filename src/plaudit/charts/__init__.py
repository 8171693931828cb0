"""Charts as Vega-Lite specs, and their files."""
