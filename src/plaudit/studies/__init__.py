"""Studies: each checks a claim of the paper, or answers a question of our own.

A module or folder here is one study and has a `STUDY` in it; `study` says what that is. `engine`
runs it on an executor, `journal` keeps what is finished, and `output`, `page` and `report` write
its files. A study with the same options writes the same bytes. This room may use all rooms of the
library; nothing of the service imports it.
"""

__all__ = ["GROUPS", "OWN_TITLES", "PAPER_TITLES", "TITLES"]

PAPER_TITLES = {
    "table-1": "Table 1: how the two hardness sums grow",
    "figure-1": "Figure 1: finding the best item on power profiles",
    "figure-2": "Figure 2: finding the best caption of two contests",
    "theorem-1": "Theorem 1: how often the anytime bound fails",
    "theorem-2": "Theorem 2: how often the simpler anytime bound fails",
    "sample-complexity": "Votes to the verdict, against theory",
    "contests": "Past contests: votes to find the best caption and to certify it",
}
OWN_TITLES = {
    "fewer-votes": "Fewer votes than the paper's algorithm, with the same proof",
    "error-rates": "How often verdicts are wrong",
    "crowds": "Real crowds: which algorithm keeps its promise",
    "dishonest": "How often dishonest raters make a verdict wrong",
    "evaluate": "Calls that `evaluate` needs, and how often it is wrong",
}
TITLES = PAPER_TITLES | OWN_TITLES
# Names that stand for several studies.
GROUPS = {"paper": tuple(PAPER_TITLES), "all": tuple(TITLES)}
