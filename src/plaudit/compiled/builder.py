"""Makes one object file of many kernels; the process of `build_files` imports it, and no other.

Numba types and lowers every function that the kernels call, once. It would also optimise each of
them for itself, and again in each caller, and make machine code of all. Here nothing is
optimised before all functions lie in one module, and then once. No arithmetic depends on
that: LLVM keeps the order of all operations on numbers, unless it is told otherwise.
"""

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, codegen, types
from numba.core.datamodel import ArgPacker
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.types.containers import BaseTuple

from plaudit.compiled import kernel, loading
from plaudit.compiled.fingerprint import source_hash
from plaudit.compiled.method_code import add_method
from plaudit.compiled.methods import is_method
from plaudit.compiled.packing import Code
from plaudit.compiled.quicker import be_quicker
from plaudit.compiled.with_numba import KeptType, found, load_leaves, type_of

# Functions that only LLVM itself calls.
INTRINSIC = "llvm."


class _Deferred(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one function, which waits for all others."""

    def finalize(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout


class _Ahead(codegen.JITCPUCodegen):  # type: ignore[misc]
    """Makes code that may be loaded anywhere in memory, for this processor or for any like it."""

    _library_class = _Deferred
    portable = False

    def set_env(self, name: str, environment: Any) -> None:
        """Functions that raise nothing need no environment."""

    def _customize_tm_options(self, options: dict[str, Any]) -> None:
        super()._customize_tm_options(options)
        options["reloc"], options["codemodel"] = "pic", "default"
        if self.portable:
            options["cpu"] = options["features"] = ""

    def code(self, module: Any) -> bytes:
        """The machine code of a module; where it is to be portable, what LLVM makes it from."""
        return bytes(module.as_bitcode() if self.portable else self._tm.emit_object(module))


@cache
def set_up(*, portable: bool = False) -> None:
    """Makes this process one that runs no kernels and only keeps them."""
    _Ahead.portable = portable
    context = cpu_target.target_context
    context._internal_codegen = _Ahead("plaudit.kernels")
    kernel.OPTIONS_OF_DISPATCHERS.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    context.refresh()
    cpu_target.typing_context.refresh()
    be_quicker()


def build(wanted: list[tuple[str, Code]], prefix: str) -> bytes:
    """A file with the kernels of these names, for arguments of these codes."""
    context = cpu_target.target_context
    ahead = context.codegen()
    entries, libraries = [], dict[Any, None]()
    wrappers = context.create_module("entries")
    for number, (name, codes) in enumerate(wanted):
        made = _compile(found(name), tuple(type_of(code) for code in codes))
        symbol = f"plaudit_{prefix}_{number}"
        entry = _wrap(context, wrappers, made.fndesc, symbol)
        result = _result_code(made.fndesc.restype)
        entries.append((name, codes, result, symbol))
        if is_method(codes):
            add_method(wrappers, entry, codes[1:], result)
        _collect(made.library, libraries)
    library = ahead.create_library("plaudit.kernels")
    _link(library._final_module, libraries, wrappers)
    module = library._final_module
    # Once: what numba does before is for reference counts, of which kernels have none.
    passes, how = ahead._module_pass_manager()
    passes.run(module, how)
    module.verify()
    needs = [f.name for f in module.functions if f.is_declaration]
    needs = [name for name in needs if not name.startswith(INTRINSIC)]
    about = {"entries": entries, "needs": needs, "sources": source_hash(), "triple": module.triple}
    return loading.write(about, ahead.code(module))


def _compile(chosen: Any, arguments: tuple[Any, ...]) -> Any:
    dispatcher = chosen.dispatcher
    dispatcher.compile(arguments)
    return dispatcher.overloads[arguments]


def _collect(library: Any, into: dict[Any, None]) -> None:
    """Adds a library and all that it calls."""
    if library in into or library is rtsys.library:
        return
    into[library] = None
    for other in library._linking_libraries:
        _collect(other, into)


def _link(whole: Any, libraries: dict[Any, None], wrappers: Any) -> None:
    """Puts all functions into one module, in which only the entry points are seen from outside."""
    entries = {function.name for function in wrappers.functions if not function.is_declaration}
    for library in libraries:
        module = library._final_module
        for function in module.functions:
            if not function.is_declaration:
                # Several libraries may have it: one is kept.
                function.linkage = "weak_odr"
        whole.link_in(module, preserve=True)
    whole.link_in(llvm.parse_assembly(cgutils.normalize_ir_text(str(wrappers))))
    for part in (*whole.functions, *whole.global_variables):
        if not part.is_declaration and part.name not in entries:
            part.linkage = "internal"


def _wrap(context: Any, module: Any, described: Any, symbol: str) -> Any:
    """An entry point: takes what `passed_as` gives, and where to put the result."""
    packers = [ArgPacker(context.data_model_manager, (kind,)) for kind in described.argtypes]
    kinds = [_passed(kind) for kind in described.argtypes]
    pointer = ir.IntType(8).as_pointer()
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [*kinds, pointer]), name=symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    values = []
    for packer, kind, given in zip(packers, described.argtypes, function.args, strict=False):
        values += packer.from_arguments(builder, _leaves(builder, packer, kind, given))
    called = context.call_conv.get_function_type(described.restype, described.argtypes)
    callee = ir.Function(module, called, name=described.llvm_func_name)
    status, result = context.call_conv.call_function(
        builder, callee, described.restype, described.argtypes, values
    )
    _store(builder, described.restype, result, function.args[-1])
    builder.ret(status.code)
    return function


def _passed(kind: Any) -> Any:
    if isinstance(kind, types.Float):
        return ir.DoubleType()
    if isinstance(kind, types.Integer | types.Boolean):
        return ir.IntType(64)
    return ir.IntType(8).as_pointer()


def _leaves(builder: Any, packer: Any, kind: Any, given: Any) -> list[Any]:
    if isinstance(kind, types.Boolean):
        return [builder.trunc(given, ir.IntType(8))]
    if isinstance(kind, types.Integer | types.Float | KeptType):
        return [given]
    return load_leaves(builder, given, packer)


def _store(builder: Any, kind: Any, result: Any, address: Any) -> None:
    """Puts a result into slots, one for each of its numbers."""
    if kind == types.none:
        return
    values = cgutils.unpack_tuple(builder, result) if _is_tuple(kind) else [result]
    for number, value in enumerate(values):
        if isinstance(value.type, ir.IntType) and value.type.width < 64:
            value = builder.zext(value, ir.IntType(64))
        place = builder.gep(address, [ir.Constant(ir.IntType(64), 8 * number)])
        builder.store(value, builder.bitcast(place, value.type.as_pointer()))


def _is_tuple(kind: Any) -> bool:
    return isinstance(kind, BaseTuple)


_CODES = {types.int64: "i", types.float64: "f", types.boolean: "b", types.uint64: "u"}


def _result_code(kind: Any) -> Code:
    if kind == types.none:
        return None
    return [_CODES[part] for part in kind] if _is_tuple(kind) else _CODES[kind]
