"""Kernels as numba sees them; importing this module imports numba.

Numba compiles a kernel for each combination of types. A `Kept` tuple has a type of its own: kernels
pass it to each other as one address, and read a part of it only where they use it. As a tuple of
arrays it would be more than a hundred arguments of every call.
"""

import hashlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import ArgPacker, models, register_default
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic
from numba.core.registry import cpu_target
from numba.core.types.containers import BaseTuple
from numba.core.typing import templates
from numba.extending import NativeValue, overload, typeof_impl, unbox
from numba.np.numpy_support import from_dtype

from plaudit.compiled.fingerprint import cache_folder
from plaudit.compiled.packing import Code, Kept, dtype_of

# Kernels only read and write arrays that Python owns: without reference counts a call costs
# nothing, where passing a race's arrays would cost microseconds.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
SLOT = 8


class KeptType(types.Type):
    """The type of a `Kept` tuple: its class, and the types of its parts."""

    def __init__(self, kind: Any, parts: tuple[Any, ...]) -> None:
        self.kind, self.types, self.fields = kind, parts, kind._fields
        # A short name: it is part of the name of every function that takes one.
        digest = hashlib.sha256(str(parts).encode()).hexdigest()[:8]
        super().__init__(name=f"{kind.__name__}({digest})")

    @property
    def key(self) -> Any:
        """What makes two types one."""
        return self.kind, self.types


register_default(KeptType)(models.OpaqueModel)


@typeof_impl.register(Kept)
def _type_of_kept(value: Any, context: Any) -> Any:
    return KeptType(type(value), tuple(typeof_impl(part, context) for part in value))


@templates.infer_getattr
class _PartOfKept(templates.AttributeTemplate):  # type: ignore[misc]
    key = KeptType

    def generic_resolve(self, kept: Any, name: str) -> Any:
        return kept.types[kept.fields.index(name)] if name in kept.fields else None


@lower_getattr_generic(KeptType)
def _read_part(context: Any, builder: Any, kept: Any, block: Any, name: str) -> Any:
    """Loads a part from the block. It never changes, so LLVM may read it once for many uses."""
    place = kept.fields.index(name)
    before = ArgPacker(context.data_model_manager, kept.types[:place])
    packer = ArgPacker(context.data_model_manager, (kept.types[place],))
    leaves = load_leaves(builder, block, packer, skip=len(before.argument_types))
    (value,) = packer.from_arguments(builder, leaves)
    return impl_ret_borrowed(context, builder, kept.types[place], value)


def load_leaves(builder: Any, block: Any, packer: Any, *, skip: int = 0) -> list[Any]:
    """The arguments that lie in a block, one in each slot after those to skip."""
    leaves = []
    for number, kind in enumerate(packer.argument_types, skip):
        address = builder.gep(block, [ir.Constant(ir.IntType(64), SLOT * number)])
        leaf = builder.load(builder.bitcast(address, kind.as_pointer()))
        leaf.set_metadata("invariant.load", builder.module.add_metadata([]))
        leaves.append(leaf)
    return leaves


@unbox(KeptType)
def _block_of(kept: Any, value: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.builder.inttoptr(c.pyapi.long_as_ulonglong(number), cgutils.voidptr_t)
    c.pyapi.decref(number)
    return NativeValue(address)


def dispatcher_of(function: Callable[..., Any], *, forceinline: bool, **options: Any) -> Any:
    """The function as numba compiles it where it is called, kept in numba's own cache."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(forceinline=forceinline, **OPTIONS, **(options or {"cache": True}))(
            function
        )
    finally:
        numba.config.CACHE_DIR = before


def chosen_by_state(function: Callable[..., Any], answer: Any, parameters: int) -> Any:
    """A type for numba: the function itself for rare states, and the answer for others."""

    def token() -> None:
        """Stands for the function where numba meets its name."""

    def choose(state: Any, *_given: Any) -> Callable[..., Any]:
        parts = dict(zip(state.fields, state.types, strict=True))
        return function if len(parts["rare"]) else instead

    instead = _constant(parameters, answer)
    overload(token, jit_options=OPTIONS, strict=False)(choose)
    cpu_target.typing_context.refresh()
    return cpu_target.typing_context.resolve_value_type(token)


def _constant(parameters: int, answer: Any) -> Callable[..., Any]:
    def of_one(state: Any) -> Any:
        return answer

    def of_two(state: Any, given: Any) -> Any:
        return answer

    def of_three(state: Any, first: Any, second: Any) -> Any:
        return answer

    def of_four(state: Any, first: Any, second: Any, third: Any) -> Any:
        return answer

    known: dict[int, Callable[..., Any]] = {1: of_one, 2: of_two, 3: of_three, 4: of_four}
    return known[parameters]


_SCALARS = {"i": types.int64, "f": types.float64, "b": types.boolean, "u": types.uint64}


def type_of(code: Code) -> Any:
    """The type that numba gives to values with this code."""
    if isinstance(code, str):
        return _SCALARS[code]
    if code[0] == "array":
        _, dtype, dimensions, layout, writable = code
        return types.Array(from_dtype(dtype_of(dtype)), dimensions, layout, readonly=not writable)
    if code[0] == "generator":
        return numba.typeof(np.random.Generator(getattr(np.random, code[1])()))
    parts = tuple(type_of(part) for part in code[2])
    if code[0] == "kept":
        return KeptType(found(code[1]), parts)
    return BaseTuple.from_types(parts, found(code[1]) if code[1] else None)


def found(name: str) -> Any:
    """The class or kernel with a name as `name_of` gives it."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)
