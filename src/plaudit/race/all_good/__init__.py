"""The goal "all-good": every item within epsilon of the best, and none 2 epsilon below it.

`parts` chooses algorithm and error budget, `camps` counts votes and decides when to stop, and
`asking` says which item a rater sees next. The rest of the race calls these where its state says
that this is its goal; they use the race's state, readings and trees, and nothing above them.
"""
