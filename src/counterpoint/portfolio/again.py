"""Stored evidence, checked again: a counterexample or a proof out of a result file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.core.events import Progress
from counterpoint.evidence.verdict import (
    Certificate,
    CompleteUnrolling,
    FunctionSummaries,
    InductiveInvariants,
    KInductive,
    Reason,
    RegionGraph,
    Safe,
    Unsafe,
    Violation,
)
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.advice import advice_for
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.judge import Accepted, Refuted, Rejected, Unchecked, answered, judge
from counterpoint.portfolio.processes import Send
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.run import ShowProgress, run
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput
from counterpoint.semantics.facts import Fact, from_text

if TYPE_CHECKING:
    from counterpoint.execute.subject import Subject

PREPARATIONS = ("flat", "modular", "none", "inlined", "called", "statements")
"""What a certificate may be about (execute.subject.Subject)."""

Document = Mapping[str, Any]
"""A result file's contents (docs/json.md)."""


def stored_violation(document: Document, origin: str) -> Unsafe:
    """The counterexample of a FALSE. Raises UnusableInput if there is none or it is broken."""
    found = document.get("counterexample")
    if not isinstance(found, dict):
        verdict = document.get("verdict")
        raise UnusableInput(f"{origin}: its verdict is {verdict}: there is no counterexample to replay")
    try:
        inputs = tuple(_input(entry) for entry in found["inputs"])
        return Unsafe(Violation(int(found["check"]), inputs, str(found["preparation"])))
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableInput(f"{origin}: its counterexample is broken: {error!r}") from None


def _input(entry: Mapping[str, Any]) -> Input:
    if entry["value"] is not None:
        return ScalarInput(int(entry["site"]), int(entry["value"]), int(entry["bits"]))
    contents = tuple((int(offset), int(byte)) for offset, byte in entry["contents"])
    return MemoryInput(int(entry["site"]), int(entry["size"]), contents)


def stored_proof(document: Document, origin: str) -> Safe:
    """The proof of a TRUE. Raises UnusableInput if there is none, it is broken or of an unknown kind."""
    proof = document.get("proof")
    if not isinstance(proof, dict):
        raise UnusableInput(f"{origin}: its verdict is {document.get('verdict')}: there is no proof to check")
    try:
        certificate = _certificate(str(proof["kind"]), proof["content"])
    except (KeyError, TypeError, ValueError, OverflowError, UnusableInput) as error:
        what = str(error) if isinstance(error, UnusableInput) else repr(error)
        raise UnusableInput(f"{origin}: its proof is broken: {what}") from None
    if certificate is None:
        raise UnusableInput(f"{origin}: proofs of kind {proof['kind']} are not known to this version")
    return Safe(certificate)


def _certificate(kind: str, content: Mapping[str, Any]) -> Certificate | None:
    """The certificate of that kind; None for a kind that is not known."""
    preparation = _preparation(content)
    match kind:
        case "complete-unrolling":
            return CompleteUnrolling(preparation, tuple(str(cut) for cut in content["cuts"]))
        case "inductive-invariants":
            return InductiveInvariants(preparation, _facts(content), _granules(content))
        case "function-summaries":
            return FunctionSummaries(preparation, _facts(content), _granules(content))
        case "k-induction":
            simple = _truth(content.get("simple_path", False))
            return KInductive(preparation, int(content["k"]), _facts(content), _granules(content), simple)
        case "region-graph":
            edges = tuple((int(source), int(target)) for source, target in content["edges"])
            return RegionGraph(preparation, _facts(content, "regions"), edges, _granules(content))
    return None


def _preparation(content: Mapping[str, Any]) -> str:
    if content["preparation"] not in PREPARATIONS:
        raise UnusableInput(f"no preparation is called {content['preparation']!r}")
    return str(content["preparation"])


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise UnusableInput(f"{value!r} is neither true nor false")
    return value


def _facts(content: Mapping[str, Any], name: str = "facts") -> tuple[Fact, ...]:
    return tuple(
        Fact(str(entry["function"]), int(entry["block"]), from_text(str(entry["formula"])))
        for entry in content[name]
    )


def _granules(content: Mapping[str, Any]) -> tuple[tuple[str, int], ...]:
    return tuple((str(origin), int(size)) for origin, size in content["granules"])


def request_of(document: Document, files: tuple[Path, ...], timeout: float, memory: int) -> Request:
    """The request that compiles the files as they were when the result was made."""
    how = document.get("compilation") or {}
    database = how.get("compilation_database")
    is_definition = len(files) == 1 and files[0].suffix in (".yml", ".yaml")
    target = how.get("target")
    model = None if is_definition or target else document.get("data_model")
    return Request(
        files=files,
        property=str(document.get("property", "unreach-call")),
        data_model=model,
        target=target,
        entry=str(document.get("entry", "main")),
        timeout=timeout,
        memory=memory,
        include=tuple(how.get("include") or ()),
        defines=tuple(how.get("defines") or ()),
        std=str(how.get("std") or "gnu11"),
        compilation_database=Path(database) if database else None,
        cc=how.get("cc"),
        callbacks=str(how.get("callbacks") or "unsupported"),
        asm=str(how.get("asm") or "unsupported"),
        volatile=str(how.get("volatile") or "ordinary"),
        malloc_may_fail=how.get("malloc_may_fail") is True,
        malloc_limit=how.get("malloc_limit") is True,
    )


@dataclass(frozen=True, slots=True)
class Rechecking:
    """How a proof is checked again: `strict`, by two solvers on their own; its claims written to `claims`."""

    strict: bool = False
    claims: Path | None = None


def check_again(
    verdict: Safe | Unsafe, request: Request, show: ShowProgress | None = None, how: Rechecking | None = None
) -> CheckResult:
    """Judges the stored verdict on the request's files; EVIDENCE_REJECTED where it does not hold for them.

    Raises UnusableInput as `run` does.
    """
    how = how or Rechecking()

    def decide(
        request: Request, task: SourceTask, base: CheckResult, budget: Budget, send: Send
    ) -> CheckResult:
        from counterpoint.execute.subject import compile_subject

        subject = compile_subject(task)
        send(Progress("evidence", "checking"))
        if how.claims is not None and isinstance(verdict, Safe):
            _export(verdict.certificate, subject, base, how.claims, budget)
        match judge(verdict, subject, budget, how.strict, request.seed):
            case Accepted() as accepted:
                return answered(base, accepted)
            case Rejected(detail):
                return replace(base, reason=Reason.EVIDENCE_REJECTED, detail=detail)
            case Refuted(detail):
                report = write_crash_report("runs contradict a stored proof", f"{detail}\n\n{verdict!r}")
                return replace(base, reason=Reason.EVIDENCE_REJECTED, detail=detail, crash_reports=(report,))
            case Unchecked(detail, reason):
                return replace(base, reason=reason, detail=detail, advice=advice_for(reason))
            case other:
                assert_never(other)

    return run(request, show, decide)


def _export(certificate: Certificate, subject: Subject, base: CheckResult, directory: Path, budget: Budget) -> None:
    from counterpoint.evidence.exported import scripts
    from counterpoint.portfolio.export import export

    about: dict[str, object] = {"files": list(base.files), "property": base.property, "data_model": base.data_model}
    about["preparation"] = certificate.preparation
    try:
        export(scripts(subject.program(certificate.preparation), certificate, budget), about, directory)
    except EvidenceRejected as error:
        raise UnusableInput(f"{directory}: not written: {error}") from None
