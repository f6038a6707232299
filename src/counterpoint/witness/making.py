"""From a result to the witness that says it: in a process of its own, as the program is compiled again for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeVar, cast

from counterpoint import property as properties
from counterpoint.core.documents import Given
from counterpoint.core.errors import CounterpointError, InternalError, UnusableInput
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.verdict import Safe
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.editing.source import real, text_of
from counterpoint.frontend.editing.syntax import Syntax, syntax_of
from counterpoint.frontend.task import DATA_MODELS, SourceTask, digest
from counterpoint.portfolio.attending import Refused, Stop, attended, kept
from counterpoint.portfolio.processes import Crashed, Send
from counterpoint.portfolio.readable_proof import facts_of
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import CheckResult, Outcome, Proof
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.witness.document import Contract as FunctionContract
from counterpoint.witness.document import Correctness, Invariant, Metadata, Violation, Witness
from counterpoint.witness.inputs import waypoints_of
from counterpoint.witness.invariants import contracts_of, invariants_of

SECONDS: Final = 30.0
"""Within which a witness is written."""

_T = TypeVar("_T")


def witness_of(result: CheckResult, request: Request) -> Witness:
    """The witness for a TRUE or FALSE that the request was answered with. Raises UnusableInput where there is none."""
    if result.outcome is Outcome.UNKNOWN:
        raise UnusableInput("no witness: there is no answer")
    metadata_of(result)
    return apart(lambda: _made(result, request), SECONDS, "the witness")


def metadata_of(result: CheckResult) -> Metadata:
    """Raises UnusableInput where the format has no words for what was checked."""
    if result.data_model not in DATA_MODELS:
        raise UnusableInput(f"no witness: the format knows {' and '.join(DATA_MODELS)}, not {result.data_model}")
    return Metadata(result.files, result.digests, specification(result.property), result.data_model)


def specification(name: str) -> str:
    """The formulas that state the property. Raises UnusableInput where none does."""
    wanted = properties.named(name)
    by_kind = {kind: formula for formula, kind in reversed(wanted.specification)}
    formulas = [f"CHECK( {by_kind[kind]} )" for kind in wanted.kinds if kind in by_kind]
    if not formulas:
        raise UnusableInput(f"no witness: SV-COMP has no specification for {name}")
    return "\n".join(formulas)


def _made(result: CheckResult, request: Request) -> Witness:
    task = source_task(replace(request, property=result.property))
    if tuple(map(digest, task.files)) != result.digests:
        raise UnusableInput(f"{task.files[0]}: was changed while it was checked: check it again")
    if task.is_translated:
        raise UnusableInput("no witness: the format is about programs in C")
    files = {real(str(file)): syntax_of(task, text_of(file)) for file in task.files}
    metadata = metadata_of(result)
    if result.counterexample is not None and result.outcome is Outcome.FALSE:
        points = waypoints_of(result.counterexample, files)
        return Violation(metadata, tuple((point,) for point in points))
    assert result.proof is not None
    return Correctness(metadata, *_facts(result.proof, task, files))


def _facts(
    proof: Proof, task: SourceTask, files: Mapping[str, Syntax]
) -> tuple[tuple[Invariant, ...], tuple[FunctionContract, ...]]:
    document = Given({"verdict": "TRUE", "proof": {"kind": proof.kind, "content": proof.content}}, "the proof")
    evidence = stored_proof(document)
    subject = compile_subject(task)
    parts: tuple[tuple[Subject, Certificate], ...]
    if isinstance(evidence, Safe):
        parts = ((subject, evidence.certificate),)
    else:
        parts = tuple((subject.focused(checks), certificate) for checks, certificate in evidence.parts)
    invariants: dict[Invariant, None] = {}
    contracts: dict[FunctionContract, None] = {}
    for own, certificate in parts:
        program = own.program(certificate.preparation)
        facts = tuple(facts_of(program, certificate))
        invariants |= dict.fromkeys(invariants_of(program, facts, files))
        contracts |= dict.fromkeys(contracts_of(program, facts, files))
    return tuple(invariants), tuple(contracts)


def apart(work: Callable[[], _T], seconds: float, what: str) -> _T:
    """What `work` gives, made in a process of its own within so many seconds. Raises UnusableInput as it does, or where
    time or memory do not suffice; InternalError."""
    with kept(lambda send: _work(work, send)) as worker:
        for message in attended(worker, time.monotonic() + seconds):
            match message:
                case Crashed(details):
                    raise InternalError(details.strip())
                case MemoryError():
                    raise UnusableInput(f"{what}: the memory was not enough to write it")
                case Stop.ENDED:
                    raise InternalError(f"the process that makes {what} ended")
                case (found,):
                    return cast(_T, found)
        raise UnusableInput(f"{what}: could not be written within {seconds:g} s")


def _work(work: Callable[[], object], send: Send) -> None:
    try:
        send((work(),))
    except UnusableInput as error:
        send(Refused(str(error)))
    except CounterpointError as error:
        if isinstance(error, InternalError):
            raise
        send(Refused(f"no witness: {error}"))
