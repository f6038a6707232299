"""One function body while it is rewritten: fresh names, blocks that are split, kernel calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager

from counterpoint.core.errors import InternalError
from counterpoint.core.patterns import regex
from counterpoint.core.source import UNDEFINED
from counterpoint.frontend.c.library import LIBC_NAME
from counterpoint.frontend.definition.initialisers import NONE
from counterpoint.frontend.definition.scopes import Scopes
from counterpoint.frontend.definition.tables import Tables
from counterpoint.frontend.irtext import FunctionText, ModuleText
from counterpoint.frontend.lower.irtypes import Array, IRType, Struct, TypeTable, Vector
from counterpoint.frontend.lower.text import split_commas
from counterpoint.program.types import IntType, PointerType
from counterpoint.property import Instrument, Property

KERNEL = {
    "__cp_nondet_float": "float (i32)",
    "__cp_nondet_double": "double (i32)",
    "__cp_nondet_ptr": "ptr (i32)",
    "__cp_havoc": "void (ptr, iP, i32)",
    "__cp_assume": "void (i1)",
    "__cp_hint": "void (i1)",
    "__cp_check": "void (i1, i32)",
    "__cp_check_access": "void (ptr, ptr, iP, i32)",
    "__cp_check_write": "void (ptr, ptr, iP, i32)",
    "__cp_check_apart": "void (ptr, ptr, iP, i32)",
    "__cp_check_free": "void (ptr, i32)",
    "__cp_check_leak": "void (i32)",
    "__cp_keep": "void (ptr)",
    "__cp_exposed": "void (ptr)",
    "__cp_allocate": "ptr (iP, i32)",
    "__cp_allocate_zeroed": "ptr (iP, i32)",
    "__cp_free": "void (ptr)",
    "__cp_local": "ptr (iP, iP, i32)",
    "__cp_local_end": "void (ptr)",
    "__cp_constant": "void (ptr, iP, iP)",
    "__cp_initialise": "void (ptr, ptr, iP)",
    "__cp_object_size": "iP (ptr)",
    "__cp_inside": "ptr (ptr, iP)",
    "__cp_pointer": "ptr (iP)",
    "__cp_stop": "void (i32)",
    "__cp_unsupported": "void (i32)",
}
PURE = " nounwind willreturn memory(none)"
NORETURN = frozenset({"__cp_stop", "__cp_unsupported"})


class Rewriting:
    """What all functions of a module share while it is rewritten."""

    __slots__ = (
        "address_taken", "assembly", "atoms", "callbacks", "definitions", "distance", "entry", "falling",
        "file_assembly", "kernel", "labels", "leaves", "macros", "module", "nans", "noreturn", "numbers_of_pointers",
        "partly_constant", "pointer_bits", "property", "read_arguments", "reused", "scopes", "structures_by_memory",
        "tables", "types",
        "unsized", "untested_fields", "volatile", "weak", "word",
    )  # fmt: skip

    def __init__(self, module: ModuleText, tables: Tables, property_: Property) -> None:
        self.module = module
        self.tables = tables
        self.scopes = Scopes(tables.metadata)
        self.property = property_
        self.types = TypeTable(module.datalayout, module.triple, module.types)
        self.pointer_bits = self.types.layout.pointer_bits
        self.word = f"i{self.pointer_bits}"
        self.entry = "main"
        self.labels: dict[tuple[str, str], int] = {}
        self.kernel: dict[str, str] = {}
        self.callbacks = False
        self.macros: Callable[[], Container[str]] = frozenset  # names that are macros anywhere (wide_index.py)
        self.assembly = False
        self.file_assembly = ""  # what stands outside of functions (file_assembly.py)
        self.volatile = False
        self.reused = False
        self.distance = 64  # from a variable argument to what tells its kind (variable_arguments.py)
        self.falling: set[str] = set()  # functions that may end without a value (missing_returns.py)
        self.nans = False  # the bits of NaNs may be seen (nans.py)
        self.partly_constant: Container[str] = ()  # static objects with constant parts (constant_parts.py)
        self.definitions = NONE  # what the syntax tree says of constant locals (initialisers.py)
        self.atoms = True  # debug information tells which instructions make up one assignment or declaration
        self.numbers_of_pointers = False  # somewhere a pointer becomes an integer
        self.untested_fields = False  # sums may be of bit-fields, and clang tests none of these (untested_sums.py)
        self.leaves = False  # something runs when the run ends (program_exit.py)
        self.noreturn: frozenset[str] = frozenset()
        self.read_arguments: frozenset[int] = frozenset()  # positions of the entry function's parameters
        self.structures_by_memory: Mapping[int, str] = {}  # types of such parameters of the entry function, by position
        self.weak: Mapping[str, str] = {}
        self.address_taken: list[FunctionText] = []
        self.unsized: re.Pattern[str] | None = None

    def is_model(self, function: FunctionText) -> bool:
        """Whether a function is a model of the library, not the program's own."""
        return self.tables.at(function.debug).file.startswith(LIBC_NAME)

    def declare(self, name: str) -> None:
        """Makes sure that a kernel call is declared in the module."""
        if name in self.kernel:
            return
        if name.startswith("__cp_nondet_i"):
            shape = f"{name.removeprefix('__cp_nondet_')} (i32)"
        elif name in KERNEL:
            shape = KERNEL[name].replace("iP", self.word)
        else:
            raise InternalError(f"`{name}` is no kernel call")
        result, _, parameters = shape.partition(" ")
        attributes = " noreturn" if name in NORETURN else PURE if name == "__cp_pointer" else ""
        self.kernel[name] = f"declare {result} @{name}{parameters}{attributes}"


_OUTSIDE = ("argument", "call", "undefined", "external")
"""Kinds of inputs whose pointers the environment gives."""

_SHARED = ("argument", "external")

POINTERS_SHARED = (
    "pointers that are arguments, in undefined objects, or found in memory outside of the program are null or the "
    "start of such memory, the same for several or not"
)
POINTERS_APART = (
    "pointers that undefined functions give are null or the start of memory outside of the program to which no other "
    "leads; those found there are null or the start of such memory, the same for several or not"
)


class Body:
    """Appends rewritten lines to `out`. `block` is the label of the block that is being written."""

    __slots__ = (
        "_next",
        "_prefix",
        "bases",
        "block",
        "constant",
        "definitions",
        "entry",
        "function",
        "locals",
        "moved",
        "original",
        "out",
        "products",
        "ranges",
        "shared",
        "top",
    )  # fmt: skip

    def __init__(self, shared: Rewriting, function: FunctionText, prefix: str = "cp") -> None:
        self.shared = shared
        self._prefix = prefix
        self.function = function
        self.out: list[str] = []
        self.top: list[str] = []
        self._next = 0
        unnamed = sum(1 for _, name in function.parameters if name[1:].isdigit())
        first = function.lines[0] if function.lines else ""
        self.entry = label_of(first) if first and first[0] != " " else str(unnamed)
        self.block = self.original = self.entry
        self.moved: dict[str, str] = {}
        self.constant: Container[str] = ()  # locals with constant parts
        self.definitions: dict[str, str] = {}  # clang's lines by what they define (wide_index.py)
        self.locals: dict[str, int] = {}  # bytes of each alloca of fixed size
        self.products: dict[str, tuple[str, str]] = {}  # factors of multiplications
        self.ranges: dict[str, tuple[int, int]] = {}  # least and greatest value of registers, where known
        self.bases: dict[str, tuple[str, int | None]] = {}  # where an address computation started, offset

    # ------------------------------------------------------------ names and blocks

    def fresh(self) -> str:
        self._next += 1
        return f"%{self._prefix}.{self._next}"

    def start_block(self, label: str) -> None:
        """An original block begins."""
        self.block = self.original = label

    def split(self, label: str) -> None:
        """The rest of the original block continues under a new label."""
        self.out.append(f"{label}:")
        self.block = label
        self.moved[self.original] = label

    def fresh_label(self, what: str) -> str:
        self._next += 1
        return f"{self._prefix}.{what}.{self._next}"

    @contextmanager
    def where_not(self, holds: str, debug: str) -> Iterator[None]:
        """What is written in the `with` block, and ends the run, is for runs in which the truth value does not hold."""
        good, bad = self.fresh_label("holds"), self.fresh_label("fails")
        self.emit(f"br i1 {holds}, label %{good}, label %{bad}", debug)
        self.split(bad)
        yield
        self.emit("unreachable")
        self.split(good)

    def dead_rest(self) -> None:
        """The run ends here; what follows in the block becomes unreachable."""
        self.out.append("  unreachable")
        self.split(self.fresh_label("dead"))

    def is_dead(self) -> bool:
        """Whether what is written now comes after the end of the run."""
        return self.block.startswith(f"{self._prefix}.dead.")

    # ------------------------------------------------------------ emitting

    def emit(self, text: str, debug: str = "") -> None:
        self.out.append(f"  {text}{self._suffix(debug)}")

    def compute(self, text: str, debug: str = "", result: str = "") -> str:
        result = result or self.fresh()
        self.out.append(f"  {result} = {text}{self._suffix(debug)}")
        return result

    def _suffix(self, debug: str) -> str:
        """The place of a new instruction: inside the function, so not its own declaration."""
        return f", !dbg {debug}" if debug and self.function.debug not in ("", debug) else ""

    def kernel(self, name: str, arguments: str, debug: str, result: str = "") -> str:
        """A kernel call; returns its result's name, "" for none."""
        self.shared.declare(name)
        type_ = self.shared.kernel[name].split(" ", 2)[1]
        if type_ == "void":
            self.emit(f"call void @{name}({arguments})", debug)
            return ""
        return self.compute(f"call {type_} @{name}({arguments})", debug, result)

    def site(self, kind: str, name: str, type_: str, debug: str) -> int:
        return self.shared.tables.site(kind, name, type_, debug)

    def stop(self, debug: str, code: str = "i32 0") -> None:
        self.kernel("__cp_stop", code, debug)
        self.dead_rest()

    def unsupported(self, what: str, debug: str) -> None:
        """Runs that get here are UNKNOWN(UNSUPPORTED: what)."""
        index = self.site("unsupported", what, "", debug)
        self.kernel("__cp_unsupported", f"i32 {index}", debug)
        self.dead_rest()

    def undefined(self, what: str, debug: str) -> None:
        """C gives runs that get here no meaning: a violation where that is asked for, else UNKNOWN(UNDEFINED: what)."""
        if self.shared.property.asks_for(Instrument.UNDEFINED):
            self.violation("undefined", what, debug)
            return
        index = self.site(UNDEFINED, what, "", debug)
        self.kernel("__cp_unsupported", f"i32 {index}", debug)
        self.dead_rest()

    def supported(self, holds: str, what: str, debug: str) -> None:
        """Runs that get here where `holds` is not true are UNKNOWN(UNSUPPORTED: what)."""
        good, bad = self.fresh_label("supported"), self.fresh_label("unsupported")
        self.emit(f"br i1 {holds}, label %{good}, label %{bad}", debug)
        self.split(bad)
        self.kernel("__cp_unsupported", f"i32 {self.site('unsupported', what, '', debug)}", debug)
        self.emit("unreachable")
        self.split(good)

    def meaningful(self, holds: str, what: str, debug: str) -> None:
        """An operation that C gives no meaning unless `holds`: a check where that is asked for."""
        if self.shared.property.asks_for(Instrument.UNDEFINED):
            index = self.shared.tables.check("undefined", what, debug)
            self.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)

    def violation(self, kind: str, message: str, debug: str) -> None:
        """The check that always fails; the run ends after it."""
        index = self.shared.tables.check(kind, message, debug)
        self.kernel("__cp_check", f"i1 false, i32 {index}", debug)
        self.stop(debug)

    # ------------------------------------------------------------ arbitrary values

    def nondet(self, type_: str, kind: str, name: str, debug: str, result: str = "", shown: str = "") -> str:
        """An arbitrary value of any first-class type; aggregates are put together from their parts."""
        suffix = nondet_suffix(type_)
        if suffix is not None:
            index = self.site(kind, name, shown or type_, debug)
            if type_ == "ptr" and kind in _OUTSIDE:
                self.shared.tables.assume(POINTERS_SHARED if kind in _SHARED else POINTERS_APART)
            return self.kernel(f"__cp_nondet_{suffix}", f"i32 {index}", debug, result)
        parts = self._parts(type_)
        if parts is None:
            self.unsupported(f"an arbitrary value of type {type_}", debug)
            return self.compute(f"freeze {type_} poison", debug, result)
        if not parts:
            return self.compute(f"freeze {type_} zeroinitializer", debug, result)
        vector = type_[0] == "<" and type_[1] != "{"
        value = "zeroinitializer"
        for position, part in enumerate(parts):
            leaf = self.nondet(part, kind, name, debug)
            target = result if position == len(parts) - 1 else ""
            if vector:
                text = f"insertelement {type_} {value}, {part} {leaf}, i32 {position}"
            else:
                text = f"insertvalue {type_} {value}, {part} {leaf}, {position}"
            value = self.compute(text, debug, target)
        return value

    def _parts(self, type_: str) -> list[str] | None:
        text = self.shared.module.types.get(type_, type_)
        if text.startswith("<{"):
            return split_commas(text[2:-2].strip())
        if text[0] == "{":
            return split_commas(text[1:-1].strip())
        counted = re.match(r"[\[<](\d+) x (.*)[\]>]$", text)
        if counted is None or int(counted[1]) > 64:
            return None
        return [counted[2]] * int(counted[1])

    # ------------------------------------------------------------ finishing

    def finish(self) -> None:
        """Writes the body back; phi instructions name the blocks that their predecessors ended up in."""
        lines = self.out
        if self.moved:
            lines = [self._with_moved_blocks(line) if " = phi " in line else line for line in lines]
        if self.top:
            lines[:0] = self.top
        self.function.lines = lines

    def _with_moved_blocks(self, line: str) -> str:
        return _INCOMING.sub(lambda match: f", %{self._now(match[1])} ]", line)

    def _now(self, label: str) -> str:
        return self.moved.get(label, label)


_INCOMING = regex(r', %([-\w.$]+|"[^"]*") \]')


def label_of(line: str) -> str:
    """The label that a line without indentation defines."""
    return line[: line.index('"', 1) + 1] if line[0] == '"' else line.partition(":")[0]


def nondet_suffix(type_: str) -> str | None:
    """The ending of the kernel call that returns an arbitrary value of this scalar type."""
    if type_ in ("float", "double", "ptr") or (type_[0] == "i" and type_[1:].isdigit()):
        return type_
    return None


def scalar_text(type_: IRType) -> str | None:
    """LLVM's spelling of a scalar that has an arbitrary value; None for others."""
    match type_:
        case IntType(bits):
            return f"i{bits}"
        case PointerType():
            return "ptr"
        case Array() | Struct() | Vector():
            return None
    return {(11, 53): "double", (8, 24): "float"}.get((getattr(type_, "exponent", 0), getattr(type_, "significand", 0)))
