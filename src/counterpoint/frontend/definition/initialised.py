"""Locals that are read before they were given a value, for the property `uninitialised`.

Beside each local that is looked at lies a shadow, one byte for a scalar, one for each byte of a structure, of an array
and of a scalar that `memcpy` and the like read or write: 0 where the local has no value yet. Whatever stores into the
local sets it, every start of a life clears it, and a read of a scalar in it is checked. Looked at are the locals whose
address goes nowhere but into accesses by name, member and index, all of whose accesses are therefore lines of their
own function. Of structures and arrays those without unions and bit-fields; and of these only reads that are clearly of
one member or element, inside the array that is indexed: registers in which small structures travel hold padding as
well. What is copied as bytes, or as a whole structure, is not read: its shadow is copied along.

What is not looked at counts as initialised, and that is an assumption of the result: `ASSUMED`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c import constant_parts
from counterpoint.frontend.definition.body import Body, scalar_text
from counterpoint.frontend.definition.locals import (
    BEGIN,
    BYVAL_ARGUMENT,
    Life,
    Local,
    declaration,
    declared_references,
    lifetime_start,
    overwritten_next,
    returned_variable,
)
from counterpoint.frontend.irtext import debug_of, leading_type
from counterpoint.frontend.lower.irtypes import Array, IRType, NotModelled, Struct, accessed_bytes
from counterpoint.frontend.lower.text import split_commas
from counterpoint.program.names import original

KIND = "uninitialised"
ASSUMED = (
    "locals whose address goes anywhere, unions, bit-fields, structures of one scalar,"
    " bytes that are copied from structures with padding, and memory that is allocated count as initialised"
)

_REGISTER = regex(r"%[-\w.$]+")
_LOAD = regex(r"^  %[^ ]+ = load (?!volatile |atomic )(.*)$")
_STORE = regex(r"^  store (?!volatile |atomic )(.*)$")
_GEP = regex(r"^  (%[^ ]+) = getelementptr (?:(?:inbounds|nuw|nusw) )*(.*)$")
_BLOCK = regex(
    r"^  call void @llvm\.mem(?:cpy|move|set)[\w.]*\(ptr (?:align \d+ )?(%[-\w.$]+), "
    r"(?:ptr (?:align \d+ )?|i8 )(.*), (i\d+) ([^ ,]+), i1 false\)"
)
_HARMLESS = regex(r"^(?:  %[^ ]+ = alloca | +#dbg_|  call void @llvm\.lifetime\.|  #cp_)")


@dataclass(frozen=True, slots=True)
class _Place:
    """An address in a looked-at local, and the same one in its shadow. `type`: what lies there, None where that is not
    clear; the conditions (i1 values) of `inside` say that indices lay inside their arrays. `member` of a structure."""

    local: Local
    shadow: str
    type: IRType | None
    inside: tuple[str, ...] = ()
    member: bool = False


class Shadows:
    """The shadows of one body's locals, while it is rewritten."""

    def __init__(
        self, body: Body, lines: list[str], found: Mapping[str, Local], unset: Set[str], excluded: Iterable[str]
    ) -> None:
        """`unset` have no value where the function is entered; `excluded` are none of the program's."""
        self.body = body
        self.places: dict[str, _Place] = {}
        self.references = references = declared_references(lines)
        hidden = _hidden(lines, found, body.shared.tables.metadata)
        wanted = {
            name: local
            for name, local in found.items()
            if (_is_looked_for(local) or name in hidden) and not local.fresh and not local.constant
            and self._is_plain(local, references.get(name, ""))
        }
        for name in _written_first(lines, {name for name, local in wanted.items() if not local.variable}):
            del wanted[name]
        for name in excluded:
            wanted.pop(name, None)
        scalars = {name: local.type for name, local in wanted.items() if self._scalar(local) is not None}
        copies = _copies(lines, _origins(lines, wanted.keys()))
        without = (wanted.keys() - scalars.keys()) | unset | _ever_without_value(body, lines, wanted)
        for name in wanted.keys() - _received(without, copies):
            del wanted[name]
        for name in _used_otherwise(lines, wanted.keys(), scalars):
            del wanted[name]
        self.wanted = wanted
        self.whole = scalars.keys() - {name for copy in copies for name in copy}
        expands = "x86_64" not in body.shared.module.triple
        calls = (line for line in lines if expands and " call " in line)
        self.passed = {name for line in calls for name in _REGISTER.findall(line)}
        self.mentions = Counter(name for line in lines if "%" in line for name in _REGISTER.findall(line))

    def _scalar(self, local: Local) -> str | None:
        return scalar_text(self.body.shared.types.parse(local.type))

    def _is_plain(self, local: Local, reference: str) -> bool:
        types = self.body.shared.types
        try:
            size = types.size(types.parse(local.type))
        except NotModelled:
            return False
        if size == 0:
            return False
        if self._scalar(local) is not None:
            return local.type[0] != "<"
        return bool(reference) and constant_parts.is_plain(self.body.shared.tables.metadata, reference)

    # ------------------------------------------------------------ writing

    def begin(self) -> None:
        """Writes the shadows, behind the function's allocas: nothing has a value."""
        body, types = self.body, self.body.shared.types
        for name, local in self.wanted.items():
            type_ = types.parse(local.type)
            size = self._size(local)
            shadow = body.compute("alloca i8" if size == 1 else f"alloca [{size} x i8]")
            self.places[name] = _Place(local, shadow, type_)
            self._fill(shadow, body.shared.word, str(size), 0, "")

    def clear(self, local: Local, debug: str) -> None:
        """A life of the local starts, without a value."""
        place = self.places.get(local.name)
        if place is not None:
            self._fill(place.shadow, self.body.shared.word, str(self._size(local)), 0, debug)
        if _is_looked_for(local) and (place is None or _is_single_struct(place.type)):
            self.body.shared.tables.assume(ASSUMED)

    def _size(self, local: Local) -> int:
        """Bytes of its shadow."""
        return 1 if local.name in self.whole else self._bytes(local)

    def _bytes(self, local: Local) -> int:
        types = self.body.shared.types
        return types.size(types.parse(local.type))

    def _fill(self, shadow: str, word: str, size: str, byte: int, debug: str) -> None:
        body = self.body
        if size == "1":
            body.emit(f"store i8 {byte}, ptr {shadow}, align 1", debug)
            return
        body.shared.module.declared.setdefault(
            f"llvm.memset.p0.{word}", f"declare void @llvm.memset.p0.{word}(ptr, i8, {word}, i1)"
        )
        body.emit(f"call void @llvm.memset.p0.{word}(ptr {shadow}, i8 {byte}, {word} {size}, i1 false)", debug)

    def address(self, line: str) -> None:
        """A getelementptr line: the same computation in the shadow."""
        found = _GEP.match(line)
        parts = split_commas(found[2].partition(", !dbg")[0]) if found is not None else []
        base = self.places.get(parts[1].removeprefix("ptr ")) if len(parts) > 1 else None
        if found is None or base is None:
            return
        debug = debug_of(line)
        mirrored = ", ".join([parts[0], f"ptr {base.shadow}", *parts[2:]])
        shadow = self.body.compute(f"getelementptr {mirrored}", debug)
        type_, inside = self._member(base, parts, debug)
        member = base.member or isinstance(self.body.shared.types.parse(parts[0]), Struct)
        self.places[found[1]] = _Place(base.local, shadow, type_, inside, member)

    def _member(self, base: _Place, parts: list[str], debug: str) -> tuple[IRType | None, tuple[str, ...]]:
        """What lies at the place that the indices lead to, None where that is not clear."""
        types, inside = self.body.shared.types, list(base.inside)
        type_: IRType | None = types.parse(parts[0])
        clear = parts[0][0] != "{" and parts[2].rpartition(" ")[2] == "0"
        if not clear or base.type is None or _shape(type_) != _shape(base.type):
            return None, ()
        for text in parts[3:]:
            index_type, _, value = text.rpartition(" ")
            match type_:
                case Struct(fields, _):
                    if _is_single(type_):
                        return None, ()  # travels as what it holds
                    type_ = fields[int(value)]
                case Array(element, count):
                    type_ = element
                    if not value.isdigit():
                        inside.append(self.body.compute(f"icmp ult {index_type} {value}, {count}", debug))
                    elif int(value) >= count:
                        return None, ()
                case _:
                    return None, ()
        return type_, tuple(inside)

    def read(self, line: str) -> None:
        """Writes the check of a load, before it."""
        found = _LOAD.match(line)
        place = self._accessed(found[1]) if found is not None else None
        if found is None or place is None or place.type is None:
            return
        body, debug, type_ = self.body, debug_of(line), leading_type(found[1])
        result = line[2 : line.index(" = ")]
        if scalar_text(place.type) != type_ or self.mentions[result] < 2:
            return  # nobody looks at it: `(void)x`
        if place.member and result in self.passed:
            body.shared.tables.assume(ASSUMED)
            return  # structures are passed member by member, by other conventions than that of x86-64
        alone = self._scalar(place.local) is not None
        width = 8 if place.local.name in self.whole else 8 * accessed_bytes(body.shared.types, type_)
        byte = body.compute(f"load i{width}, ptr {place.shadow}, align 1", debug)
        holds = body.compute(f"icmp eq i{width} {byte}, -1", debug)
        for condition in place.inside:
            outside = body.compute(f"xor i1 {condition}, true", debug)
            holds = body.compute(f"or i1 {holds}, {outside}", debug)
        name = place.local.variable
        read = f"`{original(name)}`" if name else "a local whose declaration is jumped over"
        what = f"{read} is read before it was given a value"
        index = body.shared.tables.check(KIND, what if alone else f"a part of {what}", debug)
        body.kernel("__cp_check", f"i1 {holds}, i32 {index}", debug)

    def written(self, line: str) -> None:
        """A store: what it writes has a value from here on."""
        found = _STORE.match(line)
        place = self._accessed(found[1]) if found is not None else None
        if found is None or place is None:
            return
        whole = place.local.name in self.whole
        size = 1 if whole else accessed_bytes(self.body.shared.types, leading_type(found[1]))
        self.body.emit(f"store i{8 * size} -1, ptr {place.shadow}, align 1", debug_of(line))

    def copied(self, line: str) -> None:
        """A call that copies or fills memory."""
        found = _BLOCK.match(line)
        target = self.places.get(found[1]) if found is not None else None
        if found is None or target is None:
            return
        source = self.places.get(found[2]) if "@llvm.memset" not in line else None
        debug, word, size = debug_of(line), found[3], found[4]
        places = [target] if source is None else [target, source]
        if size.isdigit() and int(size) > min(self._bytes(place.local) for place in places):
            whole = self.places[target.local.name].shadow  # outside of its objects is another matter
            self._fill(whole, word, str(self._size(target.local)), -1, debug)
        elif source is None or self._may_be_padding(source, target):
            self._fill(target.shadow, word, size, -1, debug)
        else:
            called = line.partition("(")[0].strip()
            self.body.emit(f"{called}(ptr {target.shadow}, ptr {source.shadow}, {word} {size}, i1 false)", debug)

    def _may_be_padding(self, source: _Place, target: _Place) -> bool:
        """Whether something else than a structure's members may get its padding, whose bytes have some value as soon
        as a member has (C17 6.2.6.1p6). What is copied counts as initialised then."""
        if source.type is not None and target.type is not None and _shape(source.type) == _shape(target.type):
            return False
        metadata = self.body.shared.tables.metadata
        references = (self.references.get(place.local.name, "") for place in (source, target))
        if not any(constant_parts.has_padding(metadata, reference) for reference in references):
            return False
        self.body.shared.tables.assume(ASSUMED)
        return True

    def _accessed(self, operands: str) -> _Place | None:
        """The place that a load or a store without its opcode is about."""
        parts = split_commas(operands)
        return self.places.get(parts[1].removeprefix("ptr ")) if len(parts) > 1 else None


def _is_looked_for(local: Local) -> bool:
    """Whether it is a variable, or may be one: clang tells nothing of those whose declaration no run reaches
    (`switch (n) { int y; case 1: ... }`), but that they live in a block, as compound literals do."""
    return bool(local.variable) or local.life is Life.BLOCK


def _hidden(lines: list[str], found: Mapping[str, Local], metadata: Mapping[str, str]) -> set[str]:
    """Those that may be variables of the function whose declaration a jump goes past (`goto l; int y; l: ...`)."""
    if not any("#dbg_label(" in line or line.startswith("  switch ") for line in lines):
        return set()
    return {name for name, local in found.items() if not local.variable} - {returned_variable(lines, metadata)}


def _written_first(lines: list[str], names: set[str]) -> set[str]:
    """Those of the locals that are written in front of each read in straight code, as temporaries are."""
    written: set[str] = set()
    first = set(names)
    for line in lines if names else ():
        if line[0] != " ":
            written.clear()
        elif line.startswith(BEGIN):
            written.discard(line[len(BEGIN) :])
        elif (found := _STORE.match(line)) is not None:
            written.add(split_commas(found[1])[1].removeprefix("ptr "))
        elif (found := _LOAD.match(line)) is not None:
            first -= {split_commas(found[1])[1].removeprefix("ptr ")} - written
    return first


def _is_single_struct(type_: IRType | None) -> bool:
    return isinstance(type_, Struct) and _is_single(type_)


def _is_single(type_: IRType) -> bool:
    """Whether there is no more than one scalar in it."""
    match type_:
        case Struct(fields, _):
            return len(fields) <= 1 and all(map(_is_single, fields))
        case Array(element, count):
            return count <= 1 and _is_single(element)
    return True


def _shape(type_: IRType | None) -> object:
    match type_:
        case Struct(fields, packed):
            return ("struct", packed, *map(_shape, fields))
        case Array(element, count):
            return ("array", count, _shape(element))
        case None:
            return None
    return scalar_text(type_) or id(type_)


def _ever_without_value(body: Body, lines: list[str], found: Mapping[str, Local]) -> set[str]:
    """The locals of which some life may not begin with an assignment or a copy."""
    without: set[str] = set()
    for position, line in enumerate(lines):
        name = lifetime_start(line) or "" if "lifetime.start" in line else ""
        if line.startswith(BEGIN):
            name = line[len(BEGIN) :]
        elif "#dbg_declare(" in line and (declared := declaration(line)) is not None:
            name = declared[0]
        if name in found and name not in without and not overwritten_next(lines, position, found[name], body):
            without.add(name)
    return without


def _received(without: Set[str], copies: list[tuple[str, str]]) -> set[str]:
    """The locals that may have no value, where these may begin without one: what is copied from them, too."""
    found = set(without)
    while more := {target for target, source in copies if source in found} - found:
        found |= more
    return found


def _used_otherwise(lines: list[str], names: Iterable[str], scalars: Mapping[str, str]) -> set[str]:
    """Those of the locals that a line mentions that is no plain access; of `scalars` (and their types) also those that
    are accessed as something else."""
    origin = _origins(lines, names)
    used: set[str] = set()
    for line in lines:
        seen = BYVAL_ARGUMENT.sub("", line) if " byval(" in line else line
        mentioned = [name for name in _REGISTER.findall(seen) if name in origin]
        if mentioned and _HARMLESS.match(line) is None:
            allowed = _allowed(line, origin, scalars)
            used |= {origin[name] for name in mentioned if name not in allowed}
    return used


def _origins(lines: list[str], names: Iterable[str]) -> dict[str, str]:
    """The local in which each register points by construction; the locals' own among them."""
    origin = {name: name for name in names}
    computed = [(found[1], found[2]) for line in lines if (found := _GEP.match(line)) is not None]
    before = -1
    while before != len(origin):
        before = len(origin)
        for result, operands in computed:
            parts = split_commas(operands.partition(", !dbg")[0])
            base = origin.get(parts[1].removeprefix("ptr ")) if len(parts) > 1 else None
            if base is not None:
                origin[result] = base
    return origin


def _copies(lines: list[str], origin: Mapping[str, str]) -> list[tuple[str, str]]:
    """The locals that blocks of memory are copied to and from, "" for what is none, as where bytes are set."""
    found = (match for line in lines if "@llvm.mem" in line and (match := _BLOCK.match(line)) is not None)
    return [(origin.get(match[1], ""), origin.get(match[2], "")) for match in found]


def _allowed(line: str, origin: Mapping[str, str], scalars: Mapping[str, str]) -> set[str]:
    """The registers that the line uses as the address of a plain access."""
    if (found := _GEP.match(line)) is not None:
        parts = split_commas(found[2].partition(", !dbg")[0])
        base = parts[1].removeprefix("ptr ")
        others = {name for text in parts[2:] for name in _REGISTER.findall(text)}
        return {found[1], base} - others if origin.get(base) not in scalars else set()
    if (found := _LOAD.match(line) or _STORE.match(line)) is not None:
        parts = split_commas(found[1])
        address, type_ = parts[1].removeprefix("ptr "), leading_type(found[1])
        local = origin.get(address)
        fits = local is not None and scalars.get(local, type_) == type_
        return {address} if fits and address not in _REGISTER.findall(parts[0]) else set()
    if (found := _BLOCK.match(line)) is not None:
        return {name for name in (found[1], found[2]) if name in origin}
    return set()
