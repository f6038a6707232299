"""The whole of `infer`, seen from outside: functions one by one in processes of their own, callees before callers, each
with a share of the time; what is finished is told at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from counterpoint.contracts.any_caller import Unit, contract_of
from counterpoint.contracts.contract import BROKEN, Contract, nothing_of
from counterpoint.contracts.declarations import Declarations, Function, declarations
from counterpoint.contracts.request import Callers, Inferred, Inquiry
from counterpoint.contracts.together import joined
from counterpoint.contracts.whole_program import contracts_of
from counterpoint.core.closure import components, reached
from counterpoint.core.errors import CounterpointError, InternalError, UnusableInput
from counterpoint.core.processors import processors
from counterpoint.core.records import dataclass
from counterpoint.frontend.c.clang import compile_file
from counterpoint.frontend.c.preprocessed import texts
from counterpoint.portfolio.attending import Refused, Stop, attended, kept
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.processes import Child, Crashed, Send, spawn
from counterpoint.portfolio.side_by_side import Limits, Lost, side_by_side

GRACE: Final = 1.0
"""Seconds after its limit at which a function's process is killed."""

LEAST: Final = 4.0
MOST: Final = 60.0
"""Seconds of one function."""

PART: Final = 1.5
"""Of an equal part of the time that is left, what one function may take."""

WHOLE_SHARE: Final = 0.4
"""Of the time, for the whole program's analysis where it is asked for."""

Tell = Callable[[Contract], None]


@dataclass(frozen=True, slots=True)
class _Here:
    """What holds for the program's own calls, which were asked about; `unused`: why that is nothing."""

    contracts: tuple[Contract, ...]
    unused: str = ""


@dataclass(frozen=True, slots=True)
class _Listed:
    """All functions, in the order of the text, with nothing known of them."""

    contracts: tuple[Contract, ...]


def infer(inquiry: Inquiry, tell: Tell) -> Inferred:
    """Contracts of the functions; `tell` is called with each as it is finished. Within the time and memory that were
    given, in processes that end with this call. Raises UnusableInput."""
    began = time.monotonic()
    with kept(partial(_work, inquiry, began)) as worker:
        found = _attend(worker, inquiry, began, tell)
    return replace(found, seconds=round(time.monotonic() - began, 2))


def _attend(worker: Child, inquiry: Inquiry, began: float, tell: Tell) -> Inferred:
    """Takes what arrives until the worker ends or is late."""
    listed: tuple[Contract, ...] = ()
    found: dict[tuple[str, str], Contract] = {}
    unused, callers = "", Callers.ANY
    why = "no time was left for it: give more with --timeout"
    for message in attended(worker, began + inquiry.timeout + 3 * GRACE, inquiry.memory):
        match message:
            case Crashed(details):
                raise InternalError(details.strip())
            case MemoryError():
                why = "the memory limit was reached"
            case Stop.FULL:
                why = f"the memory limit of {inquiry.memory >> 20} MiB was reached"
            case _Listed(contracts):
                listed = contracts
            case _Here(unused=unused):
                callers = Callers.MAIN
            case Contract() as contract:
                found[contract.file, contract.function] = contract
                tell(contract)
    for contract in listed:
        if (contract.file, contract.function) not in found:
            late = replace(contract, missing=why)
            found[contract.file, contract.function] = late
            tell(late)
    ordered = tuple(found[contract.file, contract.function] for contract in listed)
    return Inferred(ordered, callers, unused)


# ---------------------------------------------------------------- the worker


def _work(inquiry: Inquiry, began: float, send: Send) -> None:
    try:
        for file in inquiry.task.files:
            compile_file(inquiry.task, file)
        declared = [declarations(inquiry.task, file) for file in inquiry.task.files]
        chosen = _chosen(inquiry, declared)
    except UnusableInput as error:
        send(Refused.by(error))
        return
    send(_Listed(tuple(nothing_of(function) for _, function in chosen)))
    here: Mapping[tuple[str, str], Contract] = {}
    deadline = began + inquiry.timeout
    has_main = any(inquiry.task.entry in one.functions for one in declared)
    if inquiry.callers is Callers.MAIN or (inquiry.callers is None and has_main):
        if not has_main:
            send(Refused(f"--from main: no file defines {inquiry.task.entry}: use --any-caller"))
            return
        told = _here(inquiry, chosen, time.monotonic() + WHOLE_SHARE * (deadline - time.monotonic()))
        here = {(contract.file, contract.function): contract for contract in told.contracts}
        send(replace(told, contracts=()))
    units = [_unit(inquiry, declared, own, function) for own, function in _bottom_up(chosen, declared)]
    try:
        _one_by_one(inquiry, units, here, deadline, send)
    except UnusableInput as error:
        send(Refused.by(error))


def _unit(inquiry: Inquiry, declared: Sequence[Declarations], own: Declarations, function: Function) -> Unit:
    """The function with the files that it needs."""
    files = _needed(declared, own, function)
    others = (one for one in declared if one.file in files and one is not own)
    elsewhere = frozenset(name for one in others for other in one.functions.values() for name in other.fields)
    return Unit(replace(inquiry.task, files=files), own, function, inquiry.seed, inquiry.needs, elsewhere)


def _chosen(inquiry: Inquiry, declared: Sequence[Declarations]) -> list[tuple[Declarations, Function]]:
    """The functions that were asked for, of those that the files define outside of headers."""
    found = [
        (one, function)
        for one in declared
        for function in one.functions.values()
        if function.file in ("", str(one.file))
    ]
    if not found:
        raise UnusableInput(f"{inquiry.task.files[0]}: defines no function")
    if not inquiry.functions:
        return found
    known = {function.name for _, function in found}
    for name in inquiry.functions:
        if name not in known:
            raise UnusableInput(f"--function {name}: no file defines it; there is {', '.join(sorted(known)[:8])}")
    return [(one, function) for one, function in found if function.name in inquiry.functions]


def _bottom_up(
    chosen: Sequence[tuple[Declarations, Function]], declared: Sequence[Declarations]
) -> list[tuple[Declarations, Function]]:
    """Callees before their callers."""
    calls = {f.name: f.calls for one in declared for f in one.functions.values()}
    graph = {name: sorted(below & calls.keys()) for name, below in calls.items()}
    order = {name: number for number, part in enumerate(components(graph)) for name in part}
    return sorted(chosen, key=lambda pair: order[pair[1].name])


def _needed(declared: Sequence[Declarations], own: Declarations, function: Function) -> tuple[Path, ...]:
    """The files that define what the function may call or speak of, its own included."""
    where: dict[str, Declarations] = {}
    for one in declared:
        for name, known in one.functions.items():
            if not known.static:
                where.setdefault(name, one)
    for one in declared:
        for name, variable in one.variables.items():
            if variable.defined and not variable.static:
                where.setdefault(name, one)
    files = {own.file}

    def below(node: tuple[Path, str]) -> list[tuple[Path, str]]:
        file, name = node
        here = next(one for one in declared if one.file == file)
        body = here.functions.get(name)
        if body is None:
            return []
        found = []
        for other in sorted(body.calls | body.uses):
            target = here if other in here.functions else where.get(other)
            if target is not None:
                found.append((target.file, other))
        return found

    files.update(file for file, _ in reached((own.file, function.name), below))
    return tuple(one.file for one in declared if one.file in files)


def _here(inquiry: Inquiry, chosen: Sequence[tuple[Declarations, Function]], deadline: float) -> _Here:
    """What the whole program's analysis says, of a process that may be ended."""
    child = spawn(lambda send: _whole(inquiry, chosen, deadline - time.monotonic(), send), inquiry.memory)
    try:
        for message in attended(child, deadline + 2 * GRACE):
            match message:
                case _Here():
                    return message
                case MemoryError():
                    return _Here((), "the whole program's analysis reached the memory limit")
                case Crashed(details):
                    return _Here((), _broken("the whole program's analysis for infer", details))
        return _Here((), "the whole program's analysis did not end in its time")
    finally:
        child.kill()


def _whole(inquiry: Inquiry, chosen: Sequence[tuple[Declarations, Function]], seconds: float, send: Send) -> None:
    try:
        send(_Here(contracts_of(inquiry.task, chosen, seconds, inquiry.seed)))
    except CounterpointError as error:
        send(_Here((), str(error).partition("\n")[0]))


def _broken(what: str, details: str) -> str:
    """Writes a crash report; where it is."""
    return f"{BROKEN}{write_crash_report(f'{what} failed', details)}"


def _attempt(unit: Unit, seconds: float) -> Contract | Lost:
    """What `contract_of` says, in a process of its own; what it said before, where it does not end in its time."""
    child = spawn(lambda send: send(contract_of(unit, seconds, send)))
    found, why = nothing_of(unit.function), "its time was used up"
    try:
        for message in attended(child, time.monotonic() + seconds):
            match message:
                case Contract(seconds=took):
                    found = message
                    if took:
                        return found
                case MemoryError():
                    why = "the memory limit was reached"
                case Crashed(details):
                    return Lost("an internal error", details)
                case Stop.ENDED if why == "its time was used up":
                    why = "its process ended without an answer"
        return replace(found, missing=why, seconds=seconds)
    finally:
        child.kill()


def _about(unit: Unit) -> tuple[str, ...] | None:
    """What the compiler sees of the files that the function needs."""
    return texts(unit.task, LEAST)


def _one_by_one(
    inquiry: Inquiry, units: Sequence[Unit], here: Mapping[tuple[str, str], Contract], deadline: float, send: Send
) -> None:
    """Sends the contract of each of the functions, each from a process of its own: here, or of a cluster's workers.

    Raises UnusableInput if there are none at its address.
    """

    def tell(unit: Unit, found: Contract | Lost) -> None:
        if isinstance(found, Lost):
            why = _broken(f"infer of {unit.function.name}", found.traceback) if found.traceback else found.why
            found = replace(nothing_of(unit.function), missing=why)
        send(joined(found, here.get((found.file, found.function))))

    def limits(at_once: int, memory: int) -> Limits:
        return Limits(at_once, deadline, LEAST, MOST, GRACE, memory, PART)

    if inquiry.cluster is None:
        jobs = inquiry.jobs or min(2, processors())
        side_by_side(units, _attempt, limits(jobs, inquiry.memory // jobs), tell)
        return
    from counterpoint.cluster.workers import Workers
    from counterpoint.portfolio.afar import afar

    with closing(Workers(inquiry.cluster, inquiry.jobs, 1, processors())) as workers:
        afar(units, _attempt, limits(workers.number, inquiry.memory), tell, workers, _about)
