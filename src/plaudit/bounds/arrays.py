"""Numbers in, numbers out: checks and broadcasting for the vectorised functions."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.errors import InvalidInput

# A float for scalar input, an array for array input; NumPy's own typing cannot say which.
Floats = Any


def valid(
    name: str,
    given: ArrayLike,
    allowed: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
    domain: str,
) -> NDArray[np.float64]:
    """The input as float64, or an error that names the first value outside the domain."""
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be {domain}; got {given!r}.") from None
    # A comparison with NaN is False, so NaN is never allowed.
    bad = ~np.asarray(allowed(numbers))
    if bad.any():
        raise InvalidInput(f"{name} must be {domain}; got {float(numbers[bad].flat[0])!r}.")
    return numbers


def in_unit_interval(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """The input as numbers in [0, 1]."""
    return valid(name, given, lambda v: (v >= 0.0) & (v <= 1.0), "a number in [0, 1]")


def level_of_error(name: str, given: ArrayLike) -> NDArray[np.float64]:
    """The input as error probabilities strictly between 0 and 1."""
    return valid(name, given, lambda v: (v > 0.0) & (v < 1.0), "a probability between 0 and 1")


def broadcast(*arrays: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The arrays at their common shape."""
    try:
        return [np.array(array) for array in np.broadcast_arrays(*arrays)]
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InvalidInput(f"The shapes {shapes} do not fit together.") from None


def result(flat: NDArray[np.float64], shape: tuple[int, ...]) -> Floats:
    """A float where the inputs were numbers, an array of their shape otherwise."""
    return flat.reshape(shape) if shape else float(flat[0])
