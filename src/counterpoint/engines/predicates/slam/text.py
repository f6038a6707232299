"""Boolean programs as text, next to which slides and papers about SLAM can be read.

A place is a label. `b := e ? true : *` is SLAM's `choose(e, false)`: true where e holds, arbitrary elsewhere;
assignments are parallel, and what is not assigned keeps its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

from counterpoint.engines.predicates.graph.edges import NO_CALL
from counterpoint.engines.predicates.slam.layers import Trace
from counterpoint.engines.predicates.slam.program import FALSE, TRUE, BooleanProgram, Choice, Cubes, Tracked, Transition
from counterpoint.regions.cut_graph import START, Place
from counterpoint.regions.locations import ERROR
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.term import build
from counterpoint.term.infix import infix
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import V

MOST_COMPARED = 8
"""Inputs up to which it is tried out whether a choice is a plain expression."""

Comments = Callable[[Place], Sequence[str]]


def nothing(place: Place) -> Sequence[str]:
    """No comments."""
    return ()


def boolean_program_text(program: BooleanProgram, comments: Comments = nothing) -> str:
    """All procedures, the entry first; `comments` are put behind a place's label, a line each."""
    lines: list[str] = []
    for name in program.procedures:
        places = [place for place in program.tracked if program.procedure(place) == name]
        if not places:
            continue
        lines += ["", f"procedure {name}({_list(program, (name, 0))})", "{"]
        for variable in program.procedures[name]:
            lines.append(f"    bool {variable.name};  // {variable.text}")
        for place in places:
            lines += ["", f"{label(place)}:"]
            lines += [f"    // {comment}" for comment in comments(place)]
            lines += [f"    {line}" for line in _Place(program, place).lines()]
        lines.append("}")
    return "\n".join(lines[1:]) + "\n"


def trace_text(program: BooleanProgram, trace: Trace) -> list[str]:
    """The trace's places, with the literals that hold there; calls are indented."""
    found, depth = [label(START)], 0
    for edge, state in zip(trace.edges, trace.states, strict=True):
        depth += edge.call != NO_CALL
        tracked = program.tracked.get(edge.target, ())
        names = [_name(program, edge.target, t) for t in tracked]
        literals = [name if value else f"!{name}" for name, value in zip(names, state, strict=True)]
        found.append("  " * depth + f"{label(edge.target)}  {', '.join(literals)}".rstrip())
        depth -= edge.target[1] == EXIT
    return found


def over_names(program: BooleanProgram) -> BooleanProgram:
    """The program with its variables' names as predicates, to show formulas over them."""
    tracked = {
        place: tuple(Tracked(t.variable, build.variable(_name(program, place, t), BOOL)) for t in found)
        for place, found in program.tracked.items()
    }
    return replace(program, tracked=tracked)


def state_text(states: V) -> str:
    """A formula over the names of variables."""
    return infix(states, lambda variable: str(variable.payload))


def label(place: Place) -> str:
    """`f_3`, `f_exit`, `start` or `error`."""
    if place == START:
        return "start"
    if place == ERROR:
        return "error"
    return f"{place[0]}_{'exit' if place[1] == EXIT else place[1]}"


def _name(program: BooleanProgram, place: Place, tracked: Tracked) -> str:
    return program.procedures[program.procedure(place)][tracked.variable].name


def _list(program: BooleanProgram, place: Place) -> str:
    return ", ".join(_name(program, place, tracked) for tracked in program.tracked.get(place, ()))


class _Place:
    """Writes what the step from a place does."""

    def __init__(self, program: BooleanProgram, place: Place) -> None:
        self.program, self.place = program, place
        self.callees = program.calls[place]
        self.names = [self._input(call, tracked) for call, tracked in program.inputs(place)]

    def _input(self, call: int, tracked: Tracked) -> str:
        if call == NO_CALL:
            return _name(self.program, self.place, tracked)
        name = _name(self.program, (self.callees[call], EXIT), tracked)
        return f"{self._result(call)}.{name}"

    def _result(self, call: int) -> str:
        callee = self.callees[call]
        return callee if self.callees.count(callee) == 1 else f"{callee}_{call + 1}"

    def lines(self) -> Iterator[str]:
        impossible = self.program.impossible[self.place]
        if impossible:
            yield f"enforce({self._none(impossible)});"
        if self.place[1] == EXIT:
            yield f"return {_list(self.program, self.place)}".rstrip() + ";"
            return
        every = self.program.transitions[self.place]
        shown = [t for t in every if t.edge.call == NO_CALL]
        passed = max((len(t.made) for t in shown), default=0)
        shown += [t for t in every if t.edge.call >= passed]
        if len(shown) == 1:
            yield from self._transition(shown[0])
        elif shown:
            ways = [f"{label(self.place)}_way{number}" for number in range(1, len(shown) + 1)]
            yield f"goto {', '.join(ways)};"
            for way, transition in zip(ways, shown, strict=True):
                yield f"{way}:"
                yield from (f"    {line}" for line in self._transition(transition))
        else:
            yield "stop;"

    def _transition(self, transition: Transition) -> Iterator[str]:
        for call, made in enumerate(transition.made):
            yield from self._call(call, made)
        if transition.edge.call != NO_CALL:
            yield from self._call(transition.edge.call, TRUE)
            yield "assume(false);  // it does not come back"
            return
        if transition.blocked != FALSE:
            yield f"assume({self._none(transition.blocked)});"
        yield from self._assignment(transition)
        yield f"goto {label(transition.edge.target)};"

    def _call(self, call: int, made: Cubes) -> Iterator[str]:
        entering = self.program.entering(self.place, call)
        if entering is None:
            return
        if entering.blocked != FALSE and made == TRUE:
            yield f"assume({self._none(entering.blocked)});"
        arguments = ", ".join(self._choice(choice) for choice in entering.choices)
        exit_ = self.callees[call], EXIT
        returned = [_name(self.program, exit_, tracked) for tracked in self.program.tracked[exit_]]
        results = ", ".join(f"{self._result(call)}.{name}" for name in returned)
        text = f"{results} := " if results else ""
        condition = "" if made == TRUE else f"if ({self._choice(Choice(made, FALSE))}) "
        yield f"{condition}{text}{self.callees[call]}({arguments});"

    def _assignment(self, transition: Transition) -> Iterator[str]:
        target = transition.edge.target
        pairs = [
            (_name(self.program, target, tracked), self._choice(choice))
            for tracked, choice in zip(self.program.tracked.get(target, ()), transition.choices, strict=True)
        ]
        changed = [(name, value) for name, value in pairs if name != value]
        if changed:
            yield f"{', '.join(name for name, _ in changed)} := {', '.join(value for _, value in changed)};"

    def _choice(self, choice: Choice) -> str:
        positive, negative = choice.positive, choice.negative
        if positive == TRUE or negative == TRUE:
            return "true" if positive == TRUE else "false"
        if positive == FALSE and negative == FALSE:
            return "*"
        if negative == FALSE:
            return f"{self._cubes(positive)} ? true : *"
        if positive == FALSE:
            return f"{self._cubes(negative)} ? false : *"
        if _complements(positive, negative):
            return self._cubes(positive)
        return f"choose({self._cubes(positive)}, {self._cubes(negative)})"

    def _none(self, cubes: Cubes) -> str:
        """None of them holds."""
        if len(cubes) == 1 and len(cubes[0]) == 1:
            ((number, holds),) = cubes[0]
            return f"!{self.names[number]}" if holds else self.names[number]
        return f"!({self._cubes(cubes)})"

    def _cubes(self, cubes: Cubes) -> str:
        if cubes == TRUE:
            return "true"
        return " || ".join(
            " && ".join(self.names[number] if holds else f"!{self.names[number]}" for number, holds in cube)
            for cube in cubes
        )


def _complements(one: Cubes, other: Cubes) -> bool:
    """Exactly one of them holds, whatever the inputs are."""
    used = sorted({number for cube in (*one, *other) for number, _ in cube})
    if len(used) > MOST_COMPARED:
        return False
    inputs = (dict(zip(used, values, strict=True)) for values in product((False, True), repeat=len(used)))
    return all(_holds(one, values) != _holds(other, values) for values in inputs)


def _holds(cubes: Cubes, values: Mapping[int, bool]) -> bool:
    return any(all(values[number] is holds for number, holds in cube) for cube in cubes)

