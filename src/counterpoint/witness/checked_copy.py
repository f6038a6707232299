"""A correctness witness as checks of a copy of the program: each invariant is asked for where it is to hold.

The copy does what the program does, as expressions of the witness have no effects (`expression.py`) and no name in them
is a macro. A run of it that violates an invariant is one of the program on which the invariant does not hold; where no
run violates a check of the copy, the invariants hold and no run violates a check of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final, TypeVar

from counterpoint.core.records import dataclass
from counterpoint.frontend.annotations import expressions as e
from counterpoint.frontend.annotations.expressions import NoExpression
from counterpoint.frontend.editing.insertions import Insertions
from counterpoint.frontend.editing.syntax import Definition, Loop, Range, Statement, Syntax
from counterpoint.witness.document import LOOP, Contract, Correctness, Invariant, Location
from counterpoint.witness.expression import Expression, Names, readable

CHECK: Final = "__counterpoint_invariant"
_T = TypeVar("_T")

MARK: Final = "witness: "
"""How the text of each check begins."""

_RESULT: Final = "counterpoint_result"
_OLD: Final = "counterpoint_old_"


class NotUnderstood(Exception):
    """Something of a witness that cannot be asked of the program; the reason in words."""


@dataclass(slots=True)
class CheckedCopy:
    """Writes the witness into the files; `refused` says what could not be written, and why. `checked`: the invariants
    are checks, else only candidates, for properties that have no such checks."""

    files: Mapping[Path, Syntax]
    names: Names
    checked: bool = True
    refused: list[str] = field(default_factory=list)
    insertions: dict[Path, Insertions] = field(init=False)
    made: int = 0

    def __post_init__(self) -> None:
        self.insertions = {path: Insertions(syntax) for path, syntax in self.files.items()}

    def write(self, witness: Correctness) -> None:
        for invariant in witness.invariants:
            try:
                self._invariant(invariant)
            except (NotUnderstood, NoExpression) as error:
                self.refused.append(f"the invariant `{invariant.value[:80]}` at {invariant.location}: {error}")
        for contract in witness.contracts:
            try:
                self._contract(contract)
            except (NotUnderstood, NoExpression) as error:
                self.refused.append(f"the contract at {contract.location}: {error}")

    def contents(self) -> list[tuple[Path, bytes]]:
        return [(path, insertions.content("")) for path, insertions in self.insertions.items()]

    # ------------------------------------------------------------ invariants

    def _invariant(self, invariant: Invariant) -> None:
        path, syntax = located(self.files, invariant.location)
        insertions = self.insertions[path]
        expression = readable(invariant.value, self.names)
        check = self._check(expression.text(), invariant.location)
        if invariant.type == LOOP:
            loop = loop_at(syntax, invariant.location)
            if loop.condition is not None:
                insertions.at(loop.condition.begin, f"{check}, ")
            else:
                insertions.at(empty_condition(syntax, loop), f" {check}, 1")
            return
        insertions.before(statement_at(syntax, invariant.location), check)

    def _check(self, condition: str, at: Location) -> str:
        """An expression."""
        if not self.checked:
            return f"({{ extern void __counterpoint_candidate(int); __counterpoint_candidate(!!({condition})); }})"
        said = literal(f"{MARK}{condition[:120]} (line {at.line})")
        return f"({{ extern void {CHECK}(int, const char *); {CHECK}(!!({condition}), {said}); }})"

    # ------------------------------------------------------------ contracts

    def _contract(self, contract: Contract) -> None:
        path, syntax = located(self.files, contract.location)
        function = function_at(syntax, contract.location)
        insertions = self.insertions[path]
        start = function.body.begin + 1
        texts = contract.requires, contract.ensures
        before, behind = (readable(text, self.names, extended=True) if text else None for text in texts)
        said = (("requires", before), ("ensures", behind))
        clauses = [f"{word} {_in_acsl(one)};" for word, one in said if one is not None]
        insertions.at(function.at, f"/*@ {' '.join(clauses)} */ ")
        if before is not None:
            insertions.at(start, f" {self._check(_at_the_entry(before), contract.location)};")
        if behind is None:
            return
        text, declared = self._with_old(behind)
        insertions.at(start, declared)
        check = self._check(text, contract.location)
        returned = function.type.partition("(")[0].strip()
        if "(*" in function.type:
            raise NotUnderstood("it returns a pointer to a function")
        for span in (one for one in syntax.returns if one.begin in function.body):
            value = Range(syntax.text.skipped(span.begin + len("return")), span.end)
            if value.begin >= value.end:
                insertions.before(Statement(span, function.name), check)
            else:
                insertions.around(value, f" ({{ {returned} {_RESULT} = (", f"); {check}; {_RESULT}; }})")
        if returned == "void":
            insertions.at(function.body.end - 1, f" {check}; ")

    def _with_old(self, expression: Expression) -> tuple[str, str]:
        """The text with variables of ours for what was at the entry, and their declarations."""
        words: dict[e.Expression, str] = {e.Name("\\result"): _RESULT}
        declared: dict[str, str] = {}
        for part, name in _of_the_entry(expression):
            if name not in declared:
                declared[name] = f"{_OLD}{self.made}"
                self.made += 1
            words[part] = declared[name]
        code = "".join(f" __typeof__({name}) {own} = ({name});" for name, own in declared.items())
        return expression.text(words), code


def _of_the_entry(expression: Expression) -> Iterator[tuple[e.Expression, str]]:
    """`\\old(x)` and `\\at(x, Old)` in it, each with x."""
    for part in e.below(expression.of):
        match part:
            case e.Apply(_, (e.Name(name), *_)):
                yield part, name


def _in_acsl(expression: Expression) -> str:
    """As an annotation, which is a guess for proofs by contracts: nothing of it can end the comment that it is in."""
    words: dict[e.Expression, str] = {part: f"\\at({name}, Pre)" for part, name in _of_the_entry(expression)}
    return expression.text({**words, e.Name("\\result"): "\\result"})


def _at_the_entry(expression: Expression) -> str:
    """At the entry what was there is what is there."""
    if e.Name("\\result") in e.below(expression.of):
        raise NotUnderstood("`\\result` means nothing before the call")
    return expression.text(dict(_of_the_entry(expression)))


# ---------------------------------------------------------------- places


def located(files: Mapping[Path, Syntax], location: Location) -> tuple[Path, Syntax]:
    """The file of a location: by its whole name, else by its last part. Raises NotUnderstood."""
    found = [item for item in files.items() if str(item[0]) == location.file]
    found = found or [item for item in files.items() if item[0].name == Path(location.file).name]
    if len(found) != 1:
        raise NotUnderstood(f"`{location.file}` is not one of the files")
    return found[0]


def placed(syntax: Syntax, of: Iterable[_T], location: Location, at: Callable[[_T], int], missing: str) -> list[_T]:
    """Those that are at the location; all of its line, where it has no column. Raises NotUnderstood, with
    what is `missing`, if there are none."""
    if location.column:
        offset = syntax.text.offset(location.line, location.column)
        found = [one for one in of if at(one) == offset]
    else:
        found = [one for one in of if syntax.text.place(at(one))[0] == location.line]
    if not found:
        raise NotUnderstood(missing)
    return found


def loop_at(syntax: Syntax, location: Location) -> Loop:
    """The loop whose keyword stands there; the first of the line, where there is no column. Raises NotUnderstood."""
    found = placed(syntax, syntax.loops, location, lambda loop: loop.range.begin, "no loop begins there")
    return min(found, key=lambda loop: loop.range.begin)


def empty_condition(syntax: Syntax, loop: Loop) -> int:
    """Where the condition of a `for` without one would stand."""
    opened = syntax.text.skipped(loop.range.begin + len("for"))
    closed = syntax.text.closing(opened)
    semicolon = syntax.text.find(b";", opened + 1, closed) if closed is not None else None
    if loop.kind != "for" or semicolon is None:
        raise NotUnderstood("the loop's condition is not found")
    return semicolon + 1


def statement_at(syntax: Syntax, location: Location) -> Statement:
    """The statement or declaration that begins there; behind a label the one that has it. Raises NotUnderstood."""
    inside = [one for one in syntax.statements if not one.condition]
    found = placed(syntax, inside, location, lambda one: one.range.begin, "no statement begins there")
    first = min(found, key=lambda one: (one.range.begin, -one.range.end))
    while first.label:
        below = [one for one in inside if first.range.begin < one.range.begin < first.range.end]
        if not below:
            raise NotUnderstood("there is a label, and no statement behind it")
        first = min(below, key=lambda one: (one.range.begin, -one.range.end))
    return first


def function_at(syntax: Syntax, location: Location) -> Definition:
    """The function whose definition the line is part of, by its name if that is given. Raises NotUnderstood."""
    if location.function:
        found = [one for one in syntax.functions if one.name == location.function]
    else:
        line_of = syntax.text.place
        heads = [(line_of(one.at)[0], line_of(one.body.begin)[0], one) for one in syntax.functions]
        found = [one for first, last, one in heads if first <= location.line <= last]
    if len(found) != 1 or (location.column and not _is_head(syntax, found[0], location)):
        raise NotUnderstood("no function is defined there")
    return found[0]


def _is_head(syntax: Syntax, function: Definition, location: Location) -> bool:
    """Its name is there, or its line begins there."""
    offset = syntax.text.offset(location.line, location.column)
    start = syntax.text.offset(location.line, 1)
    return offset == function.at or (start is not None and offset == syntax.text.skipped(start))


def literal(text: str) -> str:
    """A string constant of C."""
    plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '"'
