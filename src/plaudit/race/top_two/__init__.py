"""The Top-Two rules: a leader and its challenger get half of the votes each.

`choice` says whose turn it is, `keys` keeps the trees that make this fast, `transport` is the cost
by which a challenger is found, `twins` lets one item stand for all with the same votes and mean,
and `thompson` draws means for t3c. They use the race's state, readings and trees, and nothing
above them.
"""
