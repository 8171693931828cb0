"""One look at a service: fetch what it signed, check it against what was kept, keep it or alarm."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from plaudit.errors import InvalidInput, ProofRefused
from plaudit.proof.checkpoint import Checkpoint, base64_of, open_checkpoint
from plaudit.proof.merkle import is_consistent
from plaudit.proof.note import PublicKey
from plaudit.witness.contradiction import contradiction
from plaudit.witness.folder import Alarm, Folder, is_contest
from plaudit.witness.remote import Away, Denied, Remote

Sign = Callable[[str, Checkpoint], str]


@dataclass
class Sight:
    """What one look has shown."""

    kept: dict[str, Checkpoint] = field(default_factory=dict)
    alarms: list[Alarm] = field(default_factory=list)
    away: list[str] = field(default_factory=list)


class Witness:
    """Watches contests of one service; without names, all that it lists and those kept before.

    `sign` adds a signature of the witness to a checkpoint that was checked.
    """

    def __init__(
        self,
        remote: Remote,
        folder: Folder,
        contests: Sequence[str] = (),
        *,
        sign: Sign | None = None,
    ) -> None:
        self._remote = remote
        self._folder = folder
        self._contests = tuple(contests)
        for name in self._contests:
            if not is_contest(name):
                raise InvalidInput(f"{name!r} is no name of a contest: it is the end of its link.")
        self._sign = sign

    def look(self) -> Sight:
        """Looks once. Whatever is wrong is told in the sight; nothing is raised for it."""
        sight = Sight()
        try:
            keys = self._check_keys(sight)
            names = self._names()
        except (Away, Denied, InvalidInput) as error:
            sight.away.append(str(error))
            return sight
        for contest in names if keys else ():
            try:
                self._look_at(contest, keys, sight)
            except Away as error:
                sight.away.append(str(error))
        return sight

    def _names(self) -> list[str]:
        if self._contests:
            return [*self._contests]
        listed = filter(is_contest, self._remote.contests())
        return sorted({*self._folder.contests(), *listed})

    def _check_keys(self, sight: Sight) -> list[PublicKey]:
        """The keys to trust: those of the first sight; new ones while all old ones are listed."""
        pinned, listed = self._folder.pinned_keys(), self._remote.keys()
        if not pinned:
            self._folder.put_keys(listed)
            return listed
        missing = [key.vkey for key in pinned if key.vkey not in {one.vkey for one in listed}]
        strange = [key.vkey for key in listed if key.name != pinned[0].name]
        if missing or strange:
            what = (
                f"The keys of {self._remote.url} were replaced: {', '.join(missing or strange)} "
                f"{'is no longer listed' if missing else 'is of another service'}."
            )
            now = "".join(f"{key.vkey}\n" for key in listed)
            sight.alarms.append(self._folder.alarm("", what, {"listed-keys.txt": now}))
            return pinned
        new = [key for key in listed if key.vkey not in {one.vkey for one in pinned}]
        if new:
            self._folder.put_keys([*pinned, *new])
        return [*pinned, *new]

    def _look_at(self, contest: str, keys: list[PublicKey], sight: Sight) -> None:
        known = self._folder.latest(contest)
        try:
            note = self._remote.checkpoint(contest)
        except Denied as error:
            if known is None:
                sight.away.append(str(error))
                return
            what = f"The log of {contest} is gone: {error}"
            sight.alarms.append(self._folder.alarm(contest, what, {"earlier.txt": known[0]}))
            return
        try:
            found = open_checkpoint(note, keys)
            wrong = _other_origin(found, keys, contest)
        except ProofRefused as error:
            found, wrong = (
                None,
                f"The checkpoint of {contest} is not signed as it should be: {error}",
            )
        if found is None or wrong:
            before = {} if known is None else {"earlier.txt": known[0]}
            sight.alarms.append(self._folder.alarm(contest, wrong, before | {"later.txt": note}))
            return
        if known is not None:
            problem, more = self._compare(contest, known[1], found)
            if problem:
                files = {"earlier.txt": known[0], "later.txt": note} | more
                sight.alarms.append(self._folder.alarm(contest, problem, files))
                return
        self._keep(contest, note, found, known)
        sight.kept[contest] = found if known is None or found.size >= known[1].size else known[1]

    def _keep(
        self, contest: str, note: str, found: Checkpoint, known: tuple[str, Checkpoint] | None
    ) -> None:
        if known is None or found.size > known[1].size:
            signed = self._sign(note, found) if self._sign else note
            self._folder.put(contest, signed, found.size)

    def _compare(
        self, contest: str, known: Checkpoint, found: Checkpoint
    ) -> tuple[str, dict[str, str]]:
        """What is wrong between a kept checkpoint and a new one, and further evidence."""
        if said := contradiction(known, found):
            return said, {}
        if known.size == found.size:
            return "", {}
        # Another worker may still show an older one; it must be the beginning of ours.
        small, large = sorted((known, found), key=lambda one: one.size)
        try:
            path = self._remote.consistency(contest, small.size, large.size)
        except Denied as error:
            return (
                f"The service has no proof that its log of {large.size} begins with the "
                f"{small.size} that it signed: {error}"
            ), {}
        if is_consistent(small.size, large.size, path, small.root, large.root):
            return "", {}
        what = (
            f"The log of {contest} was rewritten: that of size {large.size} does not begin with "
            f"that of size {small.size}, which was signed before."
        )
        proof = "".join(f"{base64_of(step)}\n" for step in path)
        return what, {"proof.txt": proof} | self._fork_of(contest, known)

    def _fork_of(self, contest: str, known: Checkpoint) -> dict[str, str]:
        """What the service signs for the size that is known: two of one size say it all."""
        try:
            note = self._remote.kept_checkpoint(contest, known.size)
        except (Away, Denied):
            note = None
        return {} if note is None else {"same-size.txt": note}


def _other_origin(found: Checkpoint, keys: Sequence[PublicKey], contest: str) -> str:
    wanted = f"{keys[0].name}/{contest}"
    return "" if found.origin == wanted else f"A checkpoint of {found.origin} came for {wanted}."
