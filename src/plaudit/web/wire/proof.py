"""The formats of proofs: keys, checkpoints, proofs of consistency and inclusion, receipts."""

from msgspec import Struct


class ShownKey(Struct):
    """A public key as NAME+HASH+KEY, with the times of its use in milliseconds."""

    vkey: str
    made_at: int
    retired_at: int | None


class ShownKeys(Struct):
    """The public keys of the service, the current one first; `name` is in all that it signs."""

    name: str
    keys: list[ShownKey]


class ShownCheckpoint(Struct):
    """A signed checkpoint; `at` is when it was signed."""

    size: int
    at: int
    text: str


class CheckpointPage(Struct):
    """Checkpoints, the largest first; `more` if there are smaller ones."""

    checkpoints: list[ShownCheckpoint]
    more: bool


class ConsistencyProof(Struct, rename={"first": "from", "second": "to"}):
    """The proof that the log of size `to` begins with that of size `from` (RFC 9162, base64)."""

    first: int
    second: int
    path: list[str]


class InclusionProof(Struct):
    """The proof that the entry at a position is in the log of this size (RFC 9162, base64)."""

    position: int
    size: int
    path: list[str]


class GivenReceipt(Struct):
    """A receipt as a rater kept it."""

    receipt: str


class CheckedReceipt(Struct):
    """What the log has for a receipt whose signature holds.

    `in_log` is false if the log has something else at its place: then the receipt proves that the
    log was changed. `counts_for` are the items that the vote counts for now; if there is none,
    `why_not` is skip, flag, withdrawn, excluded, erased or merged (another vote of the rater on
    the merged items was first), and `grounds` says why a rater is excluded. `path` proves that the
    entry is in `checkpoint`; both are empty until the next checkpoint, within a minute or so.
    """

    contest: str
    position: int
    kind: str
    at: int
    item: int
    text: str
    level: int | None
    in_log: bool
    counts_for: list[int]
    why_not: str
    grounds: str
    key: str
    checkpoint: str
    path: list[str]
