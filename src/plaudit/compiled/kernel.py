"""Kernels: Python functions that are called as machine code."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast

from plaudit.compiled import meanwhile
from plaudit.compiled.building import StillCompiling, find, is_patient, without_waiting
from plaudit.compiled.packing import Kept, Unpackable, passed_as

P = ParamSpec("P")
R = TypeVar("R")

_missing = object()
_numba = threading.RLock()
# How numba makes dispatchers; `builder` wants them without what Python would need to call them.
OPTIONS_OF_DISPATCHERS: dict[str, Any] = {}


def compiled(function: Callable[P, R]) -> "Kernel[P, R]":
    """The function as machine code, made at its first call and kept on disk."""
    return Kernel(function, forceinline=False)


def inlined(function: Callable[P, R]) -> "Kernel[P, R]":
    """The same, copied into its callers: for small functions and those with many arguments."""
    return Kernel(function, forceinline=True)


def rarely(answer: Any) -> Callable[[Callable[P, R]], "Kernel[P, R]"]:
    """Compiles a function into those kernels alone whose state has something in `rare`.

    Numba compiles everything that a kernel may call. The kernels of other states never call this
    function, so a function that returns `answer`, of the same type, takes its place there. Most
    races do without the rare rules, and their kernels are ready in a third of the time.
    """
    return lambda function: RareKernel(function, answer)


class Kernel(meanwhile.InPython, Generic[P, R]):
    """A function that Python and other kernels call as machine code."""

    def __init__(self, function: Callable[P, R], *, forceinline: bool) -> None:
        update_wrapper(self, function)
        self.function = function
        self.forceinline = forceinline
        self.name = f"{function.__module__}:{function.__name__}"
        self._known: dict[Any, Any] = {}

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        """Calls the machine code for these types; numba's, where there is no other."""
        try:
            codes, passed = zip(*map(passed_as, given), strict=True)
        except (Unpackable, ValueError):
            return cast(R, self.dispatcher(*given, **named))
        if named:
            return cast(R, self.dispatcher(*given, **named))
        call = self._known.get(codes, _missing)
        if call is _missing:
            if self._is_made_now(codes, given):
                with suppress(meanwhile.Unanswered):
                    return cast(R, meanwhile.answer(self, given))
            call = self.code_for(codes, given)
        return cast(R, self.dispatcher(*given) if call is None else call(*passed))

    def _is_made_now(self, codes: Any, given: Any) -> bool:
        """Whether the machine code is being made, and Python may answer instead of it."""
        if not (meanwhile.may_answer() and is_patient()):
            return False
        try:
            with without_waiting():
                self.code_for(codes, given)
        except StillCompiling:
            return True
        return False

    def code_for(self, codes: Any, given: Any) -> Callable[..., Any] | None:
        """The machine code for arguments of these codes; None where only numba can have it."""
        call = self._known.get(codes, _missing)
        if call is _missing:
            call = self._known[codes] = find(self, codes, given)
        return cast("Callable[..., Any] | None", call)

    def taking(self, codes: str) -> Callable[[Kept], Callable[..., R]]:
        """The kernel for a `Kept` argument and numbers of these codes, as fast as it can be called.

        `kernel.taking("if")(kept)(1, 0.5)` calls it; see `packing.SCALARS` for the codes. It is
        made ready once for each `Kept` argument, and kept with it.
        """
        key = f"{self.name}({codes})"

        def ready(kept: Kept) -> Callable[..., R]:
            found = kept.__dict__.get(key)
            if found is None:
                if self._is_made_now((kept.kept[0], *codes), (kept,)):
                    return meanwhile.taking(partial(cast(Any, self), kept), codes)
                found = kept.__dict__[key] = self._ready(kept, tuple(codes))
            # As a text: made anew for each call, the type would take as long as a vote.
            return cast("Callable[..., R]", found)

        return ready

    def _ready(self, kept: Kept, codes: tuple[str, ...]) -> Callable[..., Any]:
        code, address = kept.kept
        call: Any = self.code_for((code, *codes), (kept,))
        return partial(self.dispatcher, kept) if call is None else call.method.bound_to(address)

    @cached_property
    def dispatcher(self) -> Any:
        """The function as numba compiles it, in this process."""
        from plaudit.compiled.with_numba import dispatcher_of

        with _numba:
            return dispatcher_of(
                self.function, forceinline=self.forceinline, **OPTIONS_OF_DISPATCHERS
            )

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this object for, where one kernel calls another."""
        return self.dispatcher._numba_type_


class RareKernel(Kernel[P, R]):
    """A kernel that those of usual states do without; see `rarely`."""

    def __init__(self, function: Callable[P, R], answer: Any) -> None:
        super().__init__(function, forceinline=False)
        self.answer = answer

    @cached_property
    def _numba_type_(self) -> Any:
        from plaudit.compiled.with_numba import chosen_by_state

        parameters = self.function.__code__.co_argcount
        return chosen_by_state(self.function, self.answer, parameters)

    def _chosen(self, own: Callable[..., Any]) -> Callable[..., Any]:
        function = super()._chosen(own)
        return lambda state, *given: function(state, *given) if state.rare else self.answer
