"""Whether a failure is excused by a precondition, or is a finding: what the precondition would leave of the function.

Source: Blackshear, Lahiri, Almost-correct specifications (PLDI 2013), section 3: a failure is reported if what would
exclude it makes code of the function dead. Deviation: dead is what no run took that fulfils the precondition, though
one took it that does not, or though the code tests there what the precondition asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.entries.apart import places, user_place
from counterpoint.entries.environment import CALLER, OPAQUE, Environment
from counterpoint.entries.explored import NULL, OWN, OWN_NULL, SHORT, Explored, Failure, place_of
from counterpoint.entries.findings import Required
from counterpoint.entries.given import What
from counterpoint.entries.learning import is_restriction_to_null
from counterpoint.entries.literals import Clause, Rank, text_of
from counterpoint.entries.tested import handed_as, tested, word_tested
from counterpoint.entries.told import without_caller
from counterpoint.execute.coverage import Direction
from counterpoint.program.model import LOST
from counterpoint.program.names import original
from counterpoint.program.source_lines import SourceLines

ENOUGH: Final = 30
"""Runs that fulfil the precondition, from which on what none of them took counts as dead."""

SIBLING: Final = 5
"""Of them, how many have to take another way out of the same branch."""

FAILED: Final = 4
"""Failing runs that a precondition has to exclude for a statement about all callers with a valid pointer."""

CERTAIN: Final = 8
"""Runs that took a way out of a branch of the function and all failed, one like the other."""

_BY_LIBRARY: Final = regex(rf"\w+ (?:reads|writes) .* {re.escape(CALLER)}:\d+")
"""What a library function does, as one violation is told, with an object of the arbitrary caller."""

_IN_FRONT: Final = regex(r"\[\s*-\s*\d+\s*\]|-\s*\(?\s*(?:sizeof|offsetof)\b")
"""How a header in front of an object is spoken of."""

_SEVERAL: Final = regex(r"&&|\|\|")
"""More than one thing is tested."""

_COUNTED: Final = regex(r"\\valid\((\w+) \+ \(0 \.\. (\w+) - 1\)")
"""Which argument says how many elements which block has, as `Environment.requires` says it."""

ELEMENTS: Final = 2
"""So many are several."""

_ASSIGNED: Final = regex(r"\b(\w+)\s*=(?!=)\s*([^;]*)")

ACCESS: Final = "valid-deref"
FREE: Final = "valid-free"


@dataclass(frozen=True, slots=True)
class Judged:
    """A failure; `contradiction` says why it is a finding, "" where a precondition excuses it."""

    failure: Failure
    contradiction: str


def judged(explored: Explored, lines: SourceLines, caller: Environment | None = None) -> list[Judged]:
    """Every failure with what speaks against its precondition, as far as it is not the arbitrary caller's fault."""
    table = explored.table
    kept = table.keeping_all(explored.clauses)
    allowed, passing = kept.bit_count(), (kept & table.passed).bit_count()
    if explored.samples and not passing and explored.failures:
        return _hopeless(explored, lines, caller)
    taken = table.taken(kept)

    def against(failure: Failure, excusable: bool) -> str:
        """What speaks against the clause."""
        clause = failure.clause
        if clause is None or (is_restriction_to_null(clause) and _is_short(explored, failure, lines, caller)):
            return ""
        why = _null_only(explored, clause) if not excusable else ""
        if not why and allowed >= ENOUGH and _is_about(failure, lines, caller):
            why = _contradicted(explored, lines, clause, taken, caller, excusable)
        return why

    found = []
    for failure in explored.failures:
        excusable = _is_excusable(explored, failure, lines, caller)
        why = against(failure, excusable)
        if not why and _passed(explored, failure, passing) >= ENOUGH and not excusable:
            why = _certain(explored, failure, lines, caller)
            if not why and passing >= ENOUGH and (why := _by_contents(explored, failure, lines, caller)):
                failure = replace(failure, clause=None)
        why = why or _few_only(explored, failure, lines, caller)
        if not why and failure.clause is not None and is_restriction_to_null(failure.clause):
            excluded = excusable or _is_short(explored, failure, lines, caller)
        else:
            excluded = not why and excusable and bool(against(failure, excusable=False))
        if not excluded and not why and failure.clause is not None and allowed >= ENOUGH:
            excluded = any(_dead(explored, failure.clause, taken))  # whatever its line speaks of
        if excluded:
            failure = replace(failure, clause=None)  # it excludes more than what is to blame
        found.append(Judged(failure, why))
    return found


def _passed(explored: Explored, failure: Failure, allowed: int) -> int:
    """How many runs pass, of so many that are allowed; of all, where what is freed or dead is to blame, as no other
    arguments would help there."""
    if _is_inside(explored, failure) or _is_dead(explored, failure):
        return len(explored.passing())
    return allowed


def _certain(explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None) -> str:
    """All runs that took one way out of a branch of the function fail, there for the most part: whatever excludes them
    makes it dead. An access may fail in all of them as a pointer lies too deep, or a variable is as at the start of the
    program; freeing does not, which a null pointer never violates."""
    missing = failure.site.kind != FREE and not _is_dead(explored, failure) and (caller is None or caller.fixed)
    if missing or _is_short(explored, failure, lines, caller):
        return ""
    check, table = failure.site.index, explored.table
    required = [one.clause for one in explored.failures if one.clause is not None and one.site.index != check]
    alike = {one.site.index for one in explored.failures if _is_like(one, failure)}
    failing = table.failing(check)
    others = (table.passed | table.keeping_all(required)) & ~table.failing_in(alike)  # or all is kept, and it fails
    clause = None if _is_no_excuse(explored, failure) else failure.clause
    if clause is not None:  # it helps, where runs get past the check that fail further on
        others |= table.keeping(clause) & ~failing
    near = _in_small(explored, failure, lines, caller) if clause is None or explored.is_unexplained(failure) else set()
    failed, left = table.taken(failing, near), table.taken(others, near)
    for number, count in sorted(failed.items()):
        if count >= CERTAIN and number not in left:
            one = explored.directions[number]
            where = f"line {one.at.line}"
            if caller is not None and one.at.function != caller.function.name:
                where += f" of {original(one.at.function)}"
            return f"every call fails that leaves {where} one way ({one.label})"
    return _certain_below(explored, failing, others) if clause is None and _is_below(explored, failure, caller) else ""


def _by_contents(explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None) -> str:
    """A function that anyone may call fails for some contents of memory, with arguments that pass with others: what it
    reads may not matter where blocks are long enough, but in the caller's blocks for texts alone, as numbers in them
    may have to be indices."""
    if caller is None or caller.function.static or not explored.is_unexplained(failure):
        return ""
    place, own = place_of(failure.site), _is_own(explored, failure, caller)
    if failure.site.kind not in (ACCESS, FREE) or _is_short(explored, failure, lines, caller):
        return ""
    if place in explored.by_results and own:
        return "it fails for some results of functions outside, and passes for others with the same arguments"
    texts = not caller.data and not caller.shapeless and (own or explored.cause(failure.site) == "bounds")
    if place in explored.by_contents and texts:
        return "it fails for some contents of memory, and passes for others with the same arguments"
    return ""


def _certain_below(explored: Explored, failing: int, others: int) -> str:
    """The same of branches in what the function calls, whoever calls it: there it calls for what always fails."""
    ways = {_anywhere(explored.directions[number]) for number in explored.table.taken_anywhere(others)}
    numbered = enumerate(explored.directions)
    left = frozenset(number for number, one in numbered if _anywhere(one) in ways)
    for number, count in sorted(explored.table.taken_anywhere(failing).items()):
        one = explored.directions[number]
        if count >= CERTAIN and number not in left and not one.at.file.endswith(CALLER):
            where = f"line {one.at.line} of {original(one.at.function)}"
            return f"every call fails in which {where} is left one way ({one.label})"
    return ""


def _anywhere(one: Direction) -> Direction:
    return replace(one, at=replace(one.at, inlined_at=None))


def _is_below(explored: Explored, failure: Failure, caller: Environment | None) -> bool:
    """What fails is in called code of the files, or what is freed, and no one knows what longer blocks would do."""
    if caller is None or _is_dead(explored, failure):
        return caller is not None
    at = failure.site.at
    return at.function != caller.function.name and not at.file.startswith("<")


def _is_no_excuse(explored: Explored, failure: Failure) -> bool:
    """The clause asks for null, or is about pointers and lengths only where a run uses what it has freed: as the blocks
    of a caller are apart, other pointers change nothing but the way to there. A number may count who holds a block."""
    clause = failure.clause
    if clause is None or is_restriction_to_null(clause):
        return True
    return _is_dead(explored, failure) and all(one.rank in (Rank.NOT_NULL, Rank.NULL) for one in clause)


def _is_like(one: Failure, other: Failure) -> bool:
    """The same kind in the same function, or the very same."""
    if one.site.index == other.site.index:
        return True
    return one.site.kind == other.site.kind and one.site.at.function == other.site.at.function


def _hopeless(explored: Explored, lines: SourceLines, caller: Environment | None) -> list[Judged]:
    """No run passes: what more than a pointer that is not null would have to prevent is to blame; but nothing, where
    some variables are as at the start of the program in all runs, or where calls with longer blocks may pass, which
    nobody made."""
    found = []
    longer = any(explored.is_excusable(one.site) for one in explored.failures)
    for one in explored.failures:
        excused = one.clause is not None and one.clause[0].rank is Rank.NOT_NULL
        excused = excused or (longer and not _is_own(explored, one, caller))
        excused = excused or (one.site.kind != FREE and caller is not None and caller.fixed)
        excused = excused or (not _is_own(explored, one, caller) and _is_cut_short(one, lines, caller))
        excused = excused or _is_excusable(explored, one, lines, caller)
        found.append(Judged(one, "" if excused else "no call was found that passes"))
    return found


def _is_dead(explored: Explored, failure: Failure) -> bool:
    """Runs use there what they have freed or left before."""
    return explored.cause(failure.site) in ("freed", "scope")


def _is_own(explored: Explored, failure: Failure, caller: Environment | None) -> bool:
    """No larger or deeper objects of a caller would help: a run uses there what it has freed, frees what is no start of
    a block, or leaves the bounds of a block of its own, with numbers that are not from bytes without a type."""
    cause = explored.cause(failure.site)
    beyond = cause == OWN and caller is not None and not caller.shapeless
    dead = _is_dead(explored, failure)
    return dead or _is_inside(explored, failure) or beyond or _is_own_null(explored, failure, caller)


def _is_inside(explored: Explored, failure: Failure) -> bool:
    """A run frees there what is a part of a block."""
    return failure.site.kind == FREE and explored.cause(failure.site) in ("bounds", OWN)


def _is_own_null(explored: Explored, failure: Failure, caller: Environment | None) -> bool:
    """It follows a null pointer in runs to which the caller gave none: none by choice, and none as something lies too
    deep or nobody knows what it is."""
    if caller is None or explored.kinds.get(place_of(failure.site), set()) != {NULL, OWN_NULL}:
        return False
    unknown = any(one.endswith(OPAQUE) for one in caller.assumed) or caller.cut or caller.wild or caller.shapeless
    return not (unknown or caller.fixed or failure.site.at.file.startswith("<"))


def _is_short(explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None) -> bool:
    """Valid pointers may be to blame in the arbitrary caller's blocks only: what follows them ends too early, so that
    an access fails, or a block is hung up nowhere."""
    clause = failure.clause or ()
    if _is_wild(explored, failure, lines, caller):
        return True
    if _is_own(explored, failure, caller):
        return False
    inside = failure.site.at.file.startswith("<") and explored.cause(failure.site) == "bounds"
    if caller is not None and (inside or _BY_LIBRARY.match(failure.site.message)):
        # A library function may be handed the only object that a parameter leads to, and a size of several.
        single = tuple(f"\\valid({one.name})" for one in caller.function.parameters)
        if any(said.endswith(single) for said in caller.requires):
            return True
    if caller is not None and clause and failure.site.kind == LOST:
        valid = [re.escape(literal.text.removesuffix(" == \\null")) for literal in clause]
        ends = re.compile(rf"(?<![\w.>])(?:{'|'.join(valid)})->\w+ == \\null\)?$")
        return any(ends.search(said) for said in caller.requires)
    return _is_cut_short(failure, lines, caller)


def _is_excusable(explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None) -> bool:
    """An access that longer blocks of the caller's would help, or pointers that are not null, or what lies in front of
    an object: that some branch leads there always says nothing of other callers."""
    if _is_wild(explored, failure, lines, caller):
        return True
    if failure.site.kind != ACCESS or _is_own(explored, failure, caller):
        return False
    deep = explored.cause(failure.site) == NULL and _is_cut_short(failure, lines, caller)
    return deep or explored.is_excusable(failure.site) or _IN_FRONT.search(lines.line(failure.site.at)) is not None


def _is_wild(explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None) -> bool:
    """The pointer may be one in a union, any bits that the arbitrary caller gave: its line speaks of one, or is not the
    function's. No such bits are an address within a block."""
    site = failure.site
    if caller is None or not caller.wild or site.kind not in (ACCESS, FREE) or _is_dead(explored, failure):
        return False
    if _is_inside(explored, failure):
        return False
    return site.at.function != caller.function.name or _stems(lines, site.at, caller, caller.wild, frozenset())


def _is_cut_short(failure: Failure, lines: SourceLines, caller: Environment | None) -> bool:
    """An access may fail as a pointer that lies too deep is null, or as the caller gave one object where there should
    be several: its line speaks of one, or is not the function's.
    What is freed or used may be an object of which there is only an address; what lies in front of it, nobody gave."""
    if caller is None:
        return False
    at, kind = failure.site.at, failure.site.kind
    if kind == FREE:
        return any(said.endswith(OPAQUE) for said in caller.assumed)
    if kind == ACCESS and _IN_FRONT.search(lines.line(at)):
        return True
    unknown = {said.split(" ")[0].split(">")[-1] for said in caller.assumed if said.endswith(OPAQUE)}
    if kind != ACCESS or not caller.cut | caller.alone | unknown:
        return False
    if at.function != caller.function.name:
        return bool(caller.cut | unknown)
    known = unknown.isdisjoint(re.findall(r"\w+", lines.line(at)))
    return not known or _stems(lines, at, caller, caller.cut, caller.alone)


def _is_about(failure: Failure, lines: SourceLines, caller: Environment | None) -> bool:
    """The clause speaks of what the function's failing line speaks of: another one fits the runs by chance."""
    site, clause = failure.site, failure.clause or ()
    if caller is None or site.at.function != caller.function.name:
        return True
    words = set(re.findall(r"[A-Za-z_]\w*", f"{site.message} {lines.line(site.at)}"))
    return any(not words.isdisjoint(re.findall(r"[A-Za-z_]\w*", _last(literal.text))) for literal in clause)


def _last(text: str) -> str:
    """The condition without what leads to its members: `p->n >= 0` is about n."""
    return re.sub(r"\w+(?:->|\.)|\\\w+", "", text)


def _stems(
    lines: SourceLines, at: SourceLocation, caller: Environment, pointers: Set[str], alone: Set[str]
) -> bool:
    """The line speaks of one of the pointers, or of an element of what the caller gave one object of; or of
    a variable that was assigned what does, further up."""
    short = set(pointers)
    element = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(alone))) or '(?!)'})\s*(?:\[|\+)")
    first = min(caller.function.line, at.line)
    text = [lines.line(replace(at, line=number)) for number in range(first, at.line + 1)]
    for line in text[:-1]:
        for name, value in _ASSIGNED.findall(line):
            if element.search(value) or not short.isdisjoint(re.findall(r"\w+", value)):
                short.add(name)
    return element.search(text[-1]) is not None or not short.isdisjoint(re.findall(r"\w+", text[-1]))


def _null_only(explored: Explored, clause: Clause) -> str:
    """Only a null pointer would help, and every run with a valid one fails."""
    if not is_restriction_to_null(clause):
        return ""
    violating = explored.table.all & ~explored.table.keeping(clause)
    if violating.bit_count() < FAILED or violating & explored.table.passed:
        return ""
    names = " and ".join(literal.text.replace(" == \\null", "") for literal in clause)
    return f"it fails whenever {names} {'is' if len(clause) == 1 else 'are'} not null"


def _few_only(explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None) -> str:
    """No more than one element is what would help, where an argument says how many there are."""
    place = place_of(failure.site)
    short = SHORT in explored.kinds.get(place, ()) or _IN_FRONT.search(lines.line(failure.site.at))
    if caller is None or short or failure.site.kind != ACCESS or _is_short(explored, failure, lines, caller):
        return ""
    typed = {one.name for one in caller.function.parameters if "void" not in one.type}
    counted = [pair for said in caller.requires for pair in _COUNTED.findall(said)]
    counts = {count for block, count in counted if block in typed}
    pointers = [one.source for one in caller.given if one.what is What.POINTER]
    here = explored.checks_at(place)
    for given in (one for one in caller.given if one.text in counts):
        full = (one for one in explored.samples if all(one.state.get(source, 1) for source in pointers))
        several = [one.failed in here for one in full if one.state.get(given.source, 0) >= ELEMENTS]
        if len(several) >= CERTAIN and all(several):
            return f"it fails whenever there are several elements: {given.text} >= {ELEMENTS}"
    return ""


def _contradicted(
    explored: Explored, lines: SourceLines, clause: Clause, taken: dict[int, int], caller: Environment | None,
    excusable: bool,
) -> str:
    """The function's own code tests what the clause asks for, and one outcome would never be taken; or that is so of
    another branch, where nothing else that a caller may give would help."""
    for one, is_taken in _dead(explored, clause, taken, tested=True):
        if word := tested(lines, one, clause, caller):
            return f"line {one.at.line} tests `{word}`, as if it could be null here"
        if is_taken and not excusable:
            return f"all calls that do not fail leave line {one.at.line} one way ({_other(one)}), no call the other"
    return _handed_on(explored, lines, clause, caller)


def _dead(
    explored: Explored, clause: Clause, taken: dict[int, int], *, tested: bool = False
) -> Iterator[tuple[Direction, bool]]:
    """The ways out of the function's branches that no call takes any more, as runs show, with whether calls without the
    clause took them, that keep the others; with `tested` also those that none took."""
    directions = explored.directions
    siblings: dict[object, int] = {}
    for number, count in taken.items():
        one = directions[number]
        siblings[one.at, one.ordinal] = siblings.get((one.at, one.ordinal), 0) + count
    others = [one for one in explored.clauses if one != clause]  # what these leave dead speaks against them
    table = explored.table
    before = table.taken(table.keeping_all(others) & ~table.keeping(clause))
    anyway = table.taken(table.passed)
    for number, one in enumerate(directions):
        if number in taken or number in anyway or siblings.get((one.at, one.ordinal), 0) < SIBLING:
            continue
        is_taken = before.get(number, 0) >= FAILED
        if tested or is_taken:
            yield one, is_taken


def _handed_on(explored: Explored, lines: SourceLines, clause: Clause, caller: Environment | None) -> str:
    """Where the function hands on a parameter of the clause, that is tested for null, and calls pass with one."""
    table = explored.table
    passed = table.passed & ~table.keeping(clause)
    names = {one.text.removesuffix(" != \\null") for one in clause if one.rank is Rank.NOT_NULL}
    names &= {one.name for one in caller.function.parameters} if caller is not None else set()
    if caller is None or passed.bit_count() < FAILED or not names:
        return ""
    file = next((one.at.file for one in explored.directions if one.at.function == caller.function.name), "")
    kept = table.taken_anywhere(table.keeping_all(explored.clauses))
    for number in sorted(table.taken_below(passed) - kept.keys()):
        at = explored.directions[number].at
        word = word_tested(lines, explored.directions[number])
        for name in sorted(names):
            if word and file and word in handed_as(name, at.function, file, at.file, lines, caller):
                return f"line {at.line} of {at.function} tests `{word}`, as if `{name}` could be null"
    return ""


def _other(direction: Direction) -> str:
    return {"true": "false", "false": "true"}.get(direction.label, f"not {direction.label}")


def _in_small(
    explored: Explored, failure: Failure, lines: SourceLines, caller: Environment | None
) -> Set[int]:
    """For what is freed, or used after that: the ways out of tests for null in small functions, by calls of the
    function's own. Other tests there (of a number that counts who holds a block) are not about this call."""
    if caller is None or not (failure.site.kind == FREE or _is_dead(explored, failure)):
        return set()
    name = caller.function.name
    called = ((number, one) for number, one in enumerate(explored.directions) if one.at.inlined_at is not None)
    own = ((number, one) for number, one in called if name in (at.function for at in places(one.at)))
    return {number for number, one in own if _SEVERAL.search(lines.line(one.at)) is None and word_tested(lines, one)}


def required(one: Judged, shown: Set[Clause], place: Callable[[SourceLocation], SourceLocation]) -> Required:
    """The latent failure; `place` says what stands for one in the arbitrary caller, `shown` are needed clauses."""
    site, clause = one.failure.site, one.failure.clause
    said = without_caller(site.message)
    at = replace(place(user_place(site.at)), inlined_at=None)
    return Required(text_of(clause) if clause is not None else "", site.kind, at, said, clause in shown)


def excusing(verdicts: Sequence[Judged]) -> tuple[Clause, ...]:
    """The precondition: clauses that nothing speaks against."""
    excused = (one.failure.clause for one in verdicts if not one.contradiction)
    return tuple(dict.fromkeys(clause for clause in excused if clause is not None))
