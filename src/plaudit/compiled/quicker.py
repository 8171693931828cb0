"""What the builder's numba looks up instead of finding it out again.

Numba finds out anew what `x + y` means for two numbers wherever it meets one: a fifth of its time.
What is remembered here changes no code that it makes; a test compares the bytes. Only the process
of `builder` does this.
"""

from typing import Any

from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction


def be_quicker() -> None:
    """From here on numba remembers what a call with arguments of given types means."""
    functions: Any = BaseFunction
    resolve, compare = functions.get_call_type, TargetConfig.__eq__
    known: dict[Any, Any] = {}

    def remembered(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = (self, context, args, tuple(kws.items()), ConfigStack.top_or_none())
        if key in known:
            signature, meant = known[key]
            self._impl_keys[signature.args] = meant
        else:
            signature = resolve(self, context, args, kws)
            known[key] = signature, self._impl_keys[signature.args]
        return signature

    functions.get_call_type = remembered
    # Options are a part of every key: all are compared only where those that are set differ.
    TargetConfig.__hash__ = lambda self: 0
    TargetConfig.__eq__ = lambda self, other: (
        self._values == getattr(other, "_values", None) or compare(self, other)
    )
