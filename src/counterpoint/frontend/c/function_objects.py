"""What debug information does not say of the objects that functions make: which compound literals are const, which
locals without a reachable declaration, and which constant locals have no initialiser.

Only for functions that have such objects is the file compiled again, with names for LLVM's registers (which say what an
alloca is) and debug information of all types, and is clang asked for the function's syntax tree (syntax.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from counterpoint.core.patterns import regex
from counterpoint.frontend.c import constant_parts
from counterpoint.frontend.c.library import LIBC_NAME
from counterpoint.frontend.c.syntax import Literal, Objects, Variable, objects_of
from counterpoint.frontend.c.value_names import Named, compiled_with_names, location_of, name_of
from counterpoint.frontend.c.written_types import constant_parts_of
from counterpoint.frontend.debug_fields import FILE_FIELD
from counterpoint.frontend.definition.initialisers import NONE, Definition, Definitions, Location
from counterpoint.frontend.definition.locals import DECLARED, LIFETIME, fixed_allocas, returned_variable
from counterpoint.frontend.definition.scopes import written
from counterpoint.frontend.irtext import FunctionText, debug_of, parse
from counterpoint.frontend.lower.text import NAME, quoted
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Ranges
from counterpoint.program.names import plain

_LITERAL = regex(r"%\.compoundliteral\d*")
_UNIT = regex(r"\bunit: (!\d+)")
_PATH = regex(r'filename: "([^"]*)", directory: "([^"]*)"')
_REGISTERS = regex(r"%[-\w.$]+")
_SLOT = regex(
    rf"^  (?:store i32 \d+, ptr %{NAME}, align \d+(?:, !dbg !\d+)?"
    rf"|%{NAME} = (?:load i32, ptr %{NAME}|alloca i32), align \d+)$"
)
_STEP = regex(rf"^  (%{NAME}) = getelementptr .*?, ptr (%{NAME})")


def definitions(task: SourceTask, text: str) -> Definitions:
    """Those of the linked program `text`, of the task's files."""
    if task.is_translated:
        return NONE
    module = parse(text)
    metadata = dict(line.split(" = ", 1) for line in module.metadata)
    asked: dict[Path, list[_Question]] = {}
    for function in module.functions.values():
        file = _source(task, metadata, function.debug)
        if file is not None and (wanted := list(_in_question(function, metadata))):
            asked.setdefault(file, []).append(_Question(function, metadata, wanted))
    known: dict[str, Mapping[str, Definition]] = {}
    untold: dict[str, frozenset[str]] = {}
    for file, questions in asked.items():
        again = compiled_with_names(task, file)
        for question in questions:
            question.name_allocas(again)
        objects = objects_of(task, file, {one.name for one in questions if one.left})
        for question in questions:
            known[question.function.name], unknown = question.answered(objects, again)
            untold[question.function.name] = frozenset(unknown)
    return Definitions(known, untold)


def _in_question(function: FunctionText, metadata: Mapping[str, str]) -> Iterator[str]:
    """The allocas that may be objects of the source without a declaration, or const ones whose initialiser does not
    write them where they are declared."""
    declared: dict[str, tuple[str, str]] = {}
    first: dict[str, Location | None] = {}
    unused = fixed_allocas(function.lines)
    marked: set[str] = set()
    for line in function.lines:
        if "lifetime.start" in line and (found := LIFETIME.search(line)) is not None:
            marked.add(found[1])
        elif "#dbg_declare(" in line and (found := DECLARED.match(line)) is not None:
            declared.setdefault(found[1], (found[2], found[3]))
        elif (target := written(line)) and target not in first:
            first[target] = location_of(metadata, debug_of(line))
        if unused and "!dbg !" in line:
            for register in _REGISTERS.findall(line):
                unused.pop(register, None)
    allocas = fixed_allocas(function.lines)
    undeclared = allocas.keys() - declared.keys() - marked - unused.keys()
    undeclared -= {returned_variable(function.lines, metadata)}
    undeclared -= _slots(function.lines, undeclared)
    for name in allocas:
        if name not in declared:
            if name in undeclared:
                yield name
        elif first.get(name) != location_of(metadata, declared[name][1]) and _may_be_constant(
            metadata, declared[name][0]
        ):
            yield name


def _slots(lines: Sequence[str], names: Set[str]) -> set[str]:
    """Those in which clang keeps where a run goes on behind the end of a block: written as numbers, and read where the
    source has no place."""
    slots = set(names)
    for line in lines if slots else ():
        if "%" in line and _SLOT.match(line) is None:
            slots.difference_update(_REGISTERS.findall(line))
    return slots


def _may_be_constant(metadata: Mapping[str, str], variable: str) -> bool:
    """Whether it has constant parts and is no parameter."""
    return " arg: " not in metadata.get(variable, "") and bool(constant_parts.of_variable(metadata, variable))


def _source(task: SourceTask, metadata: Mapping[str, str], subprogram: str) -> Path | None:
    """The task's file that a function was compiled from, None if it is a model's."""
    found = _UNIT.search(metadata.get(subprogram, ""))
    unit = FILE_FIELD.search(metadata.get(found[1], "")) if found is not None else None
    path = _PATH.search(metadata.get(unit[1], "")) if unit is not None else None
    if path is None or LIBC_NAME in quoted(path[2]) or LIBC_NAME in quoted(path[1]):
        return None
    compiled = Path(quoted(path[2]), quoted(path[1])).resolve()
    return next((file for file in task.files if file.resolve() == compiled), task.files[0])


class _Question:
    """One function of the linked program, and those of its allocas that are in question.

    `left` are those that may be objects of the source, with their names and types; `unnamed`: nothing is known of any.
    """

    def __init__(self, function: FunctionText, metadata: Mapping[str, str], wanted: Sequence[str]) -> None:
        self.function = function
        self.metadata = metadata
        self.wanted = wanted
        self.name = name_of(metadata, function.debug)
        self.line = (location_of(metadata, function.debug) or (0, 0))[0]
        self.left: dict[str, tuple[str, str]] = {}
        self.unnamed = False
        self.declared = {
            found[1]: (found[2], found[3])
            for line in function.lines
            if "#dbg_declare(" in line and (found := DECLARED.match(line)) is not None
        }

    def name_allocas(self, again: Named) -> None:
        """Finds the names of the allocas, and drops those that clang made for itself."""
        allocas = fixed_allocas(self.function.lines)
        named = again.allocas(self.name, self.line)
        self.unnamed = len(named) != len(allocas)
        if self.unnamed:
            return
        for own, (name, type_) in zip(allocas, named.items(), strict=True):
            if own in self.wanted and (own in self.declared or _LITERAL.fullmatch(name) or "." not in name):
                self.left[own] = name, type_

    def answered(
        self, objects: Mapping[tuple[str, int], Objects], again: Named
    ) -> tuple[dict[str, Definition], Sequence[str]]:
        """What is known of them, and of which nothing is. What the syntax tree does not say of a declared one
        the atoms of debug information do (constant_locals.py)."""
        mine = objects.get((self.name, self.line))
        hidden = [own for own in self.left if own not in self.declared]
        if self.unnamed or mine is None:
            return {}, self.wanted if self.unnamed else hidden
        known: dict[str, Definition] = {}
        unknown: list[str] = []
        for own, (name, type_) in self.left.items():
            answers = {self._definition(one, own, again, type_) for one in self._fitting(own, name, mine)}
            if None in answers or len(answers) > 1:
                unknown.append(own)
            elif answers and (answer := answers.pop()) is not None:
                known[own] = answer
        return known, unknown

    def _definition(self, one: Variable | Literal, own: str, again: Named, type_: str) -> Definition | None:
        """What an object's definition says, None if its type or its initialiser is not understood."""
        parts: Ranges | None
        size = again.types.size(again.types.parse(type_))
        if own in self.declared:
            parts = constant_parts.of_variable(self.metadata, self.declared[own][0])
        else:
            parts = constant_parts_of(again.metadata, one.type, size)
        if parts is None:
            return None
        if isinstance(one, Variable):
            return Definition(parts, parts == ((0, size),), one.initialiser if own in self.declared else None)
        if parts and type_[0] in "%{" and one.is_target and one.span.first == one.span.last:
            return None  # a macro's expansion: writes of the initialiser and of the assignment are at one location
        return Definition(parts, parts == ((0, size),), one.span)

    def _fitting(self, own: str, name: str, objects: Objects) -> Sequence[Variable | Literal]:
        """The objects of the source that an alloca may be."""
        if _LITERAL.fullmatch(name):
            return self._literals(own, objects.literals)
        declared = {
            one: (name_of(self.metadata, v), location_of(self.metadata, at)) for one, (v, at) in self.declared.items()
        }
        if own in declared:
            return [one for one in objects.variables if (one.name, one.location) == declared[own]]
        taken = set(declared.values())
        return [
            one
            for one in objects.variables
            if (one.name, one.location) not in taken and re.fullmatch(rf"%{re.escape(plain(one.name))}\d*", name)
        ]

    def _literals(self, own: str, literals: Sequence[Literal]) -> Sequence[Literal]:
        """The innermost literals that the alloca's first write is part of."""
        names = {own}
        location: Location | None = None
        for line in self.function.lines:
            if (step := _STEP.match(line)) is not None and step[2] in names:
                names.add(step[1])
            elif written(line) in names or ("sret(" in line and any(f"{one}," in line for one in names)):
                location = location_of(self.metadata, debug_of(line))
                break
        around = [one for one in literals if location is not None and location in one.span]
        around = [one for one in around if not one.is_value] or around
        return [one for one in around if not any(o.span != one.span and o.span.is_inside(one.span) for o in around)]
