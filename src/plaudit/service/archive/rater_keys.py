"""The keys of raters by number, packed, so that a million of them take 16 megabytes."""

from collections.abc import Iterable

from plaudit.store.contract import Rater

KEY_BYTES = 16


class RaterNames:
    """What an export calls each rater: the key in hexadecimal, or `erased-` and the number."""

    def __init__(self, raters: Iterable[Rater]) -> None:
        self._keys = bytearray()
        self._erased: set[int] = set()
        for number, key, *_ in raters:
            if key is None:
                self._erased.add(number)
            if (missing := KEY_BYTES * number - len(self._keys)) > 0:
                self._keys.extend(bytes(missing))
            self._keys[KEY_BYTES * number : KEY_BYTES * (number + 1)] = key or bytes(KEY_BYTES)

    def __getitem__(self, number: int) -> str:
        if number in self._erased:
            return f"erased-{number}"
        return self._keys[KEY_BYTES * number : KEY_BYTES * (number + 1)].hex()
