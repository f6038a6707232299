"""Locals that are defined `const`, or have const members: only their initialisers write these.

LLVM's locals are never constant. Debug information tells which variables are, and which *atom* of the source (a
declaration, an assignment) an instruction carries out. A scalar's initialiser writes at the place of its declaration;
of an aggregate the declaration's atom is the first that writes it behind the declaration, and the zeros between the
values have no atom. Where the syntax tree says more (initialisers.py), what the initialiser's text writes is its own.
Where nothing but the accesses that name it can reach a constant local, any other write is seen at once; the other
ones are objects of their own (lifetimes.py), of which memory knows the constant parts (`__cp_constant`), and their
initialisers write them by `__cp_initialise`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto

from counterpoint.core.patterns import regex
from counterpoint.frontend.debug_fields import LINE_AND_COLUMN
from counterpoint.frontend.definition import accesses
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.definition.initialisers import Span
from counterpoint.frontend.definition.locals import Local
from counterpoint.frontend.irtext import argument, debug_of, leading_type, parse_call
from counterpoint.frontend.lower.text import NAME, split_commas

_ATOM = regex(r"\batomGroup: (\d+)")
_WALK = regex(rf"^  %(\d+) = phi ptr \[ ([^\[\]]+), %{NAME} \], \[ %(\d+), %{NAME} \]")
_DECAYED = regex(rf"^  %{NAME} = getelementptr (?:inbounds )?(\[.*\]), ptr (%{NAME}), i\d+ 0, i\d+ 0\b")
_TARGET = regex(
    rf"^  store .*?, ptr (%{NAME})|@llvm\.mem\w+[\w.]*\(ptr (?:align \d+ )?(%{NAME})"
    rf"|sret\((?:[^()]|\([^()]*\))*\)[^%,]*(%{NAME})"
)
_SRET = regex(rf"(sret\((?:[^()]|\([^()]*\))*\)[^%,]*)(%{NAME})")
_STORED = regex(rf"^  store (?:volatile )?(?:\S+ )*(%{NAME}), ptr ")


class Write(Enum):
    """What a line does to a constant local."""

    NONE = auto()
    INITIAL = auto()
    FORBIDDEN = auto()


class ConstantLocals:
    """The locals of one function that have constant parts; `metadata` is the module's."""

    def __init__(self, found: Mapping[str, Local], parameters: frozenset[str], metadata: Mapping[str, str]) -> None:
        self._metadata = metadata
        self._parameters = parameters
        self._locals = {name: local for name, local in found.items() if local.constant}
        self._atoms: dict[str, str] = {}
        self._closed: set[str] = set()
        self._walks: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._locals)

    def write_of(self, line: str, start_of: Callable[[str], str]) -> Write:
        """How the line writes one of them.

        Lines come in the order of the text, in which the declaration's writes are the first. `start_of` gives the
        value that the computation of an address started from.
        """
        if " = phi ptr " in line:
            self._walk(line, start_of)
            return Write.NONE
        found = _TARGET.search(line)
        name = start_of(found[1] or found[2] or found[3]) if found is not None else ""
        local = self._locals.get(self._walks.get(name, name))
        if local is None:
            self._decay(line)
            return Write.NONE
        place = self._metadata.get(debug_of(line), "")
        first, atom = self._is_initial(local, line, place), _ATOM.search(place)
        if local.fresh:
            return Write.INITIAL if first else Write.NONE
        return Write.FORBIDDEN if not first and (atom or local.definition is not None) else Write.NONE

    def _decay(self, line: str) -> None:
        """Initialisers index arrays by their elements; what comes behind a pointer to the first is something else."""
        found = _DECAYED.match(line)
        local = self._locals.get(found[2]) if found is not None else None
        if found is not None and local is not None and local.type == found[1] and local.type[0] == "[":
            self._closed.add(local.name)

    def _walk(self, line: str, start_of: Callable[[str], str]) -> None:
        """Initialisers go through arrays by an address that a later line moves on.

        Registers are numbered in the order of the text.
        """
        found = _WALK.match(line)
        if found is not None and int(found[3]) > int(found[1]):
            start = start_of(found[2])
            self._walks[f"%{found[1]}"] = self._walks.get(start, start)

    def _is_initial(self, local: Local, line: str, place: str) -> bool:
        stored = _STORED.match(line)
        if stored is not None and stored[1] in self._parameters:
            return True
        atom = _ATOM.search(place)
        if local.definition is not None:
            return self._is_in_text(local, local.definition.initialiser, place)
        if "sret(" in line:
            return True
        declared = LINE_AND_COLUMN.search(self._metadata.get(local.debug, ""))
        here = LINE_AND_COLUMN.search(place)
        at_declaration = here is not None and declared is not None and here[0] == declared[0]
        if at_declaration or local.name in self._closed:
            first = at_declaration
            if first and atom is not None:
                self._atoms.setdefault(local.name, atom[1])
        elif atom is None:
            first = "@llvm.memset" in line
        else:
            first = local.type[0] in "{[%" and self._atoms.setdefault(local.name, atom[1]) == atom[1]
        if not first and atom is not None:
            self._closed.add(local.name)
        return first

    def _is_in_text(self, local: Local, initialiser: Span | None, place: str) -> bool:
        """Whether a write at the place is part of that initialiser, and nothing else has come before; a scalar's is one
        write."""
        here = LINE_AND_COLUMN.search(place)
        first = (
            initialiser is not None
            and here is not None
            and (int(here[1]), int(here[2] or 0)) in initialiser
            and local.name not in self._closed
        )
        if not first or local.type[0] not in "{[%<":
            self._closed.add(local.name)
        return first


def initialise(body: Body, line: str) -> None:
    """Writes a line that is part of an initialiser, but for a call, so that it may write what is constant."""
    debug, word = debug_of(line), body.shared.word
    if line.startswith("  store "):
        parts = split_commas(line[8:].removeprefix("volatile "))
        type_ = leading_type(parts[0])
        scratch = _scratch(body, type_)
        body.emit(f"store {parts[0]}, ptr {scratch}, align 1", debug)
        to, size = parts[1].removeprefix("ptr "), (_bits(body, type_) + 7) // 8
        body.kernel("__cp_initialise", f"ptr {to}, ptr {scratch}, {word} {size}", debug)
        body.emit(f"store {type_} zeroinitializer, ptr {scratch}, align 1", debug)
        return
    call = parse_call(line)
    assert call is not None, line
    (_, to), (type_, value), (count, size_) = map(argument, call.arguments[:3])
    if "memset" in call.callee:
        scratch = _scratch(body, f"[{size_} x i8]")
        body.emit(f"call void {call.callee}(ptr {scratch}, {type_} {value}, {count} {size_}, i1 false)", debug)
        value = scratch
    else:
        accesses.check_access(body, value, word, size_, debug)
    body.kernel("__cp_initialise", f"ptr {to}, ptr {value}, {word} {size_}", debug)


def returned_into(body: Body, line: str, write: Callable[[str], None]) -> None:
    """A call whose result initialises a constant local in memory; `write` writes the call."""
    found = _SRET.search(line)
    assert found is not None, line
    type_ = found[1][5 : found[1].rindex(")")]
    scratch, size = _scratch(body, type_), body.shared.types.size(body.shared.types.parse(type_))
    write(line.replace(f"{found[1]}{found[2]}", f"{found[1]}{scratch}", 1))
    copy_into(body, found[2], scratch, size, debug_of(line))


def copy_into(body: Body, to: str, source: str, size: int, debug: str) -> None:
    """Initialises a constant local by what lies in a local of our own, and clears that."""
    word = body.shared.word
    body.kernel("__cp_initialise", f"ptr {to}, ptr {source}, {word} {size}", debug)
    declared = f"llvm.memset.p0.{word}"
    body.shared.module.declared.setdefault(declared, f"declare void @{declared}(ptr, i8, {word}, i1)")
    body.emit(f"call void @{declared}(ptr {source}, i8 0, {word} {size}, i1 false)", debug)


def _scratch(body: Body, type_: str) -> str:
    name = body.fresh()
    body.top.append(f"  {name} = alloca {type_}, align 16")
    return name


def scratch_for(body: Body, local: Local) -> str:
    """A local of our own of the same type."""
    return _scratch(body, local.type)


def _bits(body: Body, type_: str) -> int:
    parsed = body.shared.types.parse(type_)
    bits = getattr(parsed, "bits", None)
    return int(bits) if bits is not None else 8 * body.shared.types.size(parsed)
