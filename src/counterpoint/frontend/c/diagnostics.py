"""What clang remarks on while it compiles, as far as it bears on what a result means.

- A constant expression whose value C does not give. What clang's constant evaluator computes (initialisers of static
  objects and constant ones of local arrays and structures, enumeration constants, sizes of arrays) is a number in
  the IR, without the tests that clang writes for what is computed at run time. clang warns of both, at the same
  locations as its tests have: what has a warning but no test was folded. What it does not remark on is found in
  constant_expressions.py.
- An attribute or a pragma that changes what a program means, and that clang does not know for the target.
- A macro that may leave out clang's tests (untested.py).
- An object that an expression changes twice, or changes and reads, in no order that C tells.
- Where a type is written without its qualifiers (typeof_unqual.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import Enum
from itertools import chain
from pathlib import Path

import llvmlite.binding as llvm

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.c import silenced, untested
from counterpoint.frontend.c.clang import Compiled
from counterpoint.frontend.c.constant_expressions import Folded
from counterpoint.frontend.c.typeof_unqual import MESSAGE
from counterpoint.frontend.debug_fields import nodes
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.definition.shifts import HANDLER
from counterpoint.frontend.definition.tables import Tables
from counterpoint.frontend.lower.locations import Locations
from counterpoint.frontend.printed import printed_first
from counterpoint.property import Instrument, Property

_REMARK = regex(
    r"^(?P<file>[^ \n].*?):(?P<line>\d+):(?P<column>\d+): (?:warning|note): (?P<text>.*)$", re.MULTILINE
)
_DISORDERED = regex(r"(?:multiple unsequenced modifications to|unsequenced modification and access to) '(\w+)'")
_IGNORED = regex(
    r"unknown attribute '((?:gnu::)?_*(?:ifunc|scalar_storage_order|hardbool|noinit|persistent)_*)' ignored"
)
_TEST = regex(r"^  call void @(?:llvm\.ubsantrap\(|__ubsan_handle_shift).*, !dbg (!\d+)", re.MULTILINE)
_CONSTANT_TEST = regex(
    r"^  (?:.*@llvm\.\w+\.with\.overflow\.\w+\(i\d+ -?\d+, i\d+ -?\d+\)|br i1 (?:true|false),).*, !dbg (!\d+)",
    re.MULTILINE,
)
_EXPANDED = "expanded from macro "


class Fault(Enum):
    """Why a constant expression has no value, and how clang says so."""

    RANGE = re.compile(
        r"overflow in expression; result is|value .* is outside the range of representable values of type '"
    )
    SHIFTED_RANGE = re.compile(r"signed shift result \(")
    NEGATIVE = re.compile(r"shifting a negative signed value|left shift of negative value")
    AMOUNT = re.compile(r"shift count |negative shift count ")

    def matters(self, property_: Property) -> bool:
        """Whether the property asks about it. A negative number shifted left may overflow, whatever clang says."""
        if self is Fault.NEGATIVE:
            return property_.asks_for(Instrument.SHIFTS) or property_.asks_for(Instrument.OVERFLOWS)
        return property_.asks_for(Instrument.SHIFTS if self is Fault.AMOUNT else Instrument.OVERFLOWS)

    def tested_by(self, line: str) -> bool:
        """Whether clang's test on a line of IR may be the one for this fault."""
        return (HANDLER in line) is (self is not Fault.RANGE)


@dataclass(frozen=True, slots=True)
class _Location:
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def meets(self, other: _Location) -> bool:
        """Whether it is the same location; clang writes the folder of a file in more than one way."""
        same = (self.line, self.column) == (other.line, other.column)
        return same and Path(self.file).name == Path(other.file).name


@dataclass(frozen=True, slots=True)
class Remarks:
    """What clang said, as it matters here.

    `folded`: locations of constant expressions without a value that the property asks about and nothing tests;
    `perhaps_folded`: locations of those of which that is not known; `disordered`: sentences about expressions without
    an order; `ignored`: attributes that the compiler ignores although they matter, and where; `unqualified`: files and
    lines of `typeof_unqual`.
    """

    folded: tuple[str, ...] = ()
    perhaps_folded: tuple[str, ...] = ()
    disordered: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unqualified: tuple[tuple[str, int], ...] = ()

    def with_folded(self, more: Folded) -> Remarks:
        """With locations of other such expressions, of which the column is not known."""
        lines = {location.rpartition(":")[0] for location in self.folded}
        silent = tuple(location for location in more.surely if location not in lines)
        return replace(self, folded=self.folded + silent, perhaps_folded=more.perhaps)


SILENCE = Remarks()


def remarks(compiled: Iterable[Compiled], property_: Property) -> Remarks:
    """What clang said of the files of a program."""
    folded: dict[str, None] = {}
    disordered: dict[str, None] = {}
    ignored: dict[str, None] = {}
    unqualified: list[tuple[str, int]] = []
    for file in compiled:
        silent = list(_silent(file))
        folded |= dict.fromkeys(_folded(file, property_))
        folded |= dict.fromkeys(f"{at.file}:{at.line}" for at, text in silent if _faults(text, property_))
        for location, text in chain(_locations(file.said), silent):
            if text.startswith(MESSAGE):
                unqualified.append((location.file, location.line))
            elif found := _DISORDERED.match(text):
                disordered[f"{location}: {found[1]} is changed in no order that C tells: clang's order is meant"] = None
            elif found := _IGNORED.match(text):
                ignored[f"the attribute {found[1]} at {location}, which the compiler ignores"] = None
            elif found := silenced.PASSED_OVER.match(text):
                ignored[f"the pragma {found[1]} in {location.file}, which the compiler ignores"] = None
            elif found := untested.MESSAGE.match(text):
                ignored[f"a macro {found[1]} in {location.file}, which may leave out tests"] = None
    return Remarks(tuple(folded), (), tuple(disordered), tuple(ignored), tuple(unqualified))


def _locations(said: str) -> Iterator[tuple[_Location, str]]:
    for found in _REMARK.finditer(said):
        yield _Location(found["file"], int(found["line"]), int(found["column"])), found["text"]


def _silent(file: Compiled) -> Iterator[tuple[_Location, str]]:
    """What is remarked on only without pragmas."""
    heard = {(Path(location.file).name, location.line, text) for location, text in _locations(file.said)}
    for location, text in _locations(file.silenced):
        if (Path(location.file).name, location.line, text) not in heard:
            yield location, text


def _faults(text: str, property_: Property) -> list[Fault]:
    """The faults that a remark speaks of, of those that the property asks about."""
    return [fault for fault in Fault if fault.value.match(text) is not None and fault.matters(property_)]


def _folded(file: Compiled, property_: Property) -> Iterator[str]:
    """Places of one file."""
    said = list(_locations(file.said))
    notes = [*(text for _, text in said[1:]), ""][: len(said)]
    faults = [
        (location, fault, note.startswith(_EXPANDED))
        for (location, text), note in zip(said, notes, strict=True)
        for fault in _faults(text, property_)
    ]
    if not faults:
        return
    text = printed_first(llvm.parse_bitcode(file.whole or file.code))
    tests, constant = list(_tests(text, _TEST)), list(_tests(text, _CONSTANT_TEST))
    for location, fault, in_macro in faults:
        untested = not any(fault.tested_by(line) and location.meets(at) for line, at in tests)
        if in_macro:  # all its operations have one location
            alike = sum(1 for other, _, _ in faults if other.meets(location))
            untested |= sum(1 for _, at in constant if location.meets(at)) < alike
        if untested:
            yield str(location)


def _tests(text: str, wanted: re.Pattern[str]) -> Iterator[tuple[str, _Location]]:
    """The lines of clang's tests, and their locations."""
    metadata = nodes(text)
    tables = Tables(Locations(metadata), metadata)
    for found in wanted.finditer(text):
        at = tables.at(found[1])
        yield found[0], _Location(at.file, at.line, at.column)


def leave_open(body: Body, remarked: Remarks, debug: str) -> None:
    """Where a run starts: it may be one that C gives no meaning, or go on with clang's values.

    So nothing is proved, and what fails with these values is a violation all the same; not so where clang has
    ignored an attribute: then nothing is known.
    """
    if remarked.ignored:
        body.unsupported(remarked.ignored[0], debug)
    if not remarked.folded and not remarked.perhaps_folded:
        return
    meant, open_ = body.fresh_label("meant"), body.fresh_label("open")
    choice = body.nondet("i1", "undef", "an undefined constant", debug)
    body.emit(f"br i1 {choice}, label %{open_}, label %{meant}", debug)
    body.split(open_)
    if remarked.folded:
        body.undefined(f"C gives the constant expression at {remarked.folded[0]} no value", debug)
    else:
        location = remarked.perhaps_folded[0]
        body.unsupported(f"the constant expression at {location}, to which C may give no value", debug)
    body.emit("unreachable")
    body.split(meant)
