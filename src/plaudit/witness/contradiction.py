"""What two signed checkpoints of one log say against each other, with nothing else at hand."""

from plaudit.proof.checkpoint import Checkpoint, time_text

# The clocks of a service's machines may differ, and a verdict's checkpoint may be signed a little
# after one of a larger log.
SKEW_MS = 5 * 60_000


def contradiction(one: Checkpoint, other: Checkpoint) -> str:
    """Why no honest log has both checkpoints, in a sentence; "" if the two can both be true.

    Two sizes of one log also need a proof that the smaller is the beginning of the larger; that
    cannot be seen from the two alone.
    """
    if one.origin != other.origin:
        return ""
    earlier, later = sorted((one, other), key=lambda found: (found.size, found.at))
    if earlier.size == later.size:
        return _fork(earlier, later)
    return _back(earlier, later) or _changed(earlier, later)


def _fork(one: Checkpoint, other: Checkpoint) -> str:
    """Whether two checkpoints of one size are of different logs."""
    parts = {
        "entries": one.root != other.root,
        "items": (one.items, one.items_digest) != (other.items, other.items_digest),
        "raters": (one.raters, one.raters_digest) != (other.raters, other.raters_digest),
    }
    wrong = [name for name, differs in parts.items() if differs]
    if not wrong:
        return ""
    return f"Two logs of the same size {one.size} were signed, with different {_list(wrong)}."


def _back(earlier: Checkpoint, later: Checkpoint) -> str:
    """Whether time or a number went back while the log grew."""
    if later.at < earlier.at - SKEW_MS:
        return (
            f"The log of size {later.size} was signed at {time_text(later.at)}, before the log of "
            f"size {earlier.size} at {time_text(earlier.at)}: time went back."
        )
    for what in ("items", "raters"):
        before, after = getattr(earlier, what), getattr(later, what)
        if after < before:
            return (
                f"The log of size {earlier.size} has {before} {what}, the larger one of size "
                f"{later.size} only {after}."
            )
    return ""


def _changed(earlier: Checkpoint, later: Checkpoint) -> str:
    """Whether the same number of items or raters are others."""
    for what in ("items", "raters"):
        same = getattr(earlier, what) == getattr(later, what)
        if same and getattr(earlier, f"{what}_digest") != getattr(later, f"{what}_digest"):
            return (
                f"The {getattr(later, what)} {what} are not the same in the log of size "
                f"{earlier.size} and in that of size {later.size}: they were exchanged."
            )
    return ""


def _list(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
