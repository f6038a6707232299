"""A result as lines for a person: what was found, the failing run, what was assumed, what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from counterpoint.portfolio.result import CheckResult, EngineRun, Outcome, Proof, ProofRuns
from counterpoint.report.failing_run import counterexample_lines, short
from counterpoint.report.lines import Line

MOST_INVARIANTS = 40

SHORT = 90
"""Characters of a place's formulas that go on one line."""


def lines_of(result: CheckResult, verbose: bool = False) -> Iterator[Line]:
    """The report without its verdict line; `verbose`: with all engines and their counters, and the features."""
    yield from _head(result)
    yield from _engines(result, verbose)
    if result.counterexample is not None:
        yield from counterexample_lines(result.counterexample)
    if result.proof is not None:
        yield (("", "plain"),)
        yield (("Proof  ", "title"), (result.proof.summary, "plain"))
        yield from _invariants(result.proof)
        yield ((f"  {_proof_runs(result.proof.runs)}", "dim"),)
    if result.outcome is Outcome.UNKNOWN:
        yield from _unknown(result)
    yield from _assumptions(result)
    for report in result.crash_reports:
        yield (("Crash report: ", "bad"), (report, "plain"))
    yield (("", "plain"),)


def _head(result: CheckResult) -> Iterator[Line]:
    files = ", ".join(result.files)
    used = f"{result.seconds:.1f} s" + (f", {result.memory >> 20} MiB" if result.memory else "")
    yield ((files, "title"), (f"  {result.property}, {result.data_model}, {used}", "dim"))


# ---------------------------------------------------------------- what the engines did


def _engines(result: CheckResult, verbose: bool) -> Iterator[Line]:
    """A line for each start of an engine; if there is an answer and nobody wants to know more, for its engine."""
    everything = verbose or result.outcome is Outcome.UNKNOWN
    if verbose and result.features:
        yield ((f"  {', '.join(_features(result.features))}", "dim"),)
    for run in result.engines:
        if everything or (run.engine == result.engine and run.answer == result.outcome):
            yield _engine(run)
            if verbose and run.statistics:
                yield ((f"{'':16}{', '.join(_counters(run.statistics))}", "dim"),)


def _engine(run: EngineRun) -> Line:
    numbers = [f"{name} {value:,}" for name, value in _headline(run.statistics)]
    numbers += [f"facts told {run.told:,}"] if run.told else []
    numbers += [f"facts heard {run.heard:,}"] if run.heard else []
    answer = f"{run.answer}{': ' + run.detail if run.detail else ''}"
    text = f"  {run.engine:<12} {run.seconds:6.1f} s  {answer}"
    return ((text, "plain"), (f"  {', '.join(numbers)}" if numbers else "", "dim"))


def _headline(statistics: Mapping[str, int | float | str]) -> list[tuple[str, int | float]]:
    wanted = ("tests", "branches", "bound", "refinements", "predicates", "solver_calls")
    present = ((name, statistics.get(name)) for name in wanted)
    return [(name.replace("_", " "), value) for name, value in present if isinstance(value, int | float)]


def _counters(statistics: Mapping[str, int | float | str]) -> Iterator[str]:
    for name, value in statistics.items():
        shown = f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        yield f"{name.replace('_', ' ')} {shown}"


def _features(features: Mapping[str, int]) -> Iterator[str]:
    """"loops 2, instructions 40, nested": flags that are not set are left out."""
    for name, value in features.items():
        if isinstance(value, bool):
            if value:
                yield name
        else:
            yield f"{name} {value:,}"


# ---------------------------------------------------------------- a proof


def _invariants(proof: Proof) -> Iterator[Line]:
    """`loop at file.c:12: x == y, i <= 100`; a line for each formula where they are long."""
    shown = proof.invariants[:MOST_INVARIANTS]
    for invariant in shown:
        where = f"  {invariant.where} at {short(invariant.at)}: "
        together = ", ".join(invariant.formulas)
        if len(together) <= SHORT or len(invariant.formulas) == 1:
            yield ((where, "dim"), (together, "value"))
        else:
            yield ((where.rstrip(), "dim"),)
            yield from (((f"    {formula}", "value"),) for formula in invariant.formulas)
    if len(shown) < len(proof.invariants):
        yield ((f"  ... {len(proof.invariants) - len(shown)} more (--json has them all)", "dim"),)


def _proof_runs(runs: ProofRuns) -> str:
    """`proof run: 312 states of 40 runs, 18 of 20 claims evaluated; 3,000 native runs of the unprepared program`."""
    if not runs.runs and not runs.native_runs:
        return f"proof run: {runs.note or 'none'}"
    said = f"proof run: {_count(runs.states, 'state')} of {_count(runs.runs, 'run')}"
    if runs.claims:
        said += f", {runs.evaluated:,} of {runs.claims:,} claims evaluated"
    said += f"; {_count(runs.native_runs, 'native run')} of the unprepared program"
    return f"{said}; {runs.note}" if runs.note else said


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


# ---------------------------------------------------------------- the rest


def _unknown(result: CheckResult) -> Iterator[Line]:
    yield (("", "plain"),)
    yield (("Not decided: ", "unsure"), (result.detail or result.reason, "plain"))
    for advice in result.advice:
        yield (("  try: ", "title"), (advice, "plain"))


def _assumptions(result: CheckResult) -> Iterator[Line]:
    if result.assumptions:
        yield (("", "plain"),)
        yield (("Assumed", "title"),)
        for sentence in result.assumptions:
            yield ((f"  {sentence}", "plain"),)
