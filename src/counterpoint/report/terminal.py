"""A result as lines for a person: what was found, the failing run, what was assumed, what to try."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from counterpoint.portfolio.result import Cached, CheckResult, Invariant, Outcome, Proof, ProofRuns
from counterpoint.report.check_summary import open_checks, summary_lines
from counterpoint.report.engine_lines import engine_lines
from counterpoint.report.failing_run import counterexample_lines, short
from counterpoint.report.lines import Line

TYPE_WORDS = ("unsigned", "signed", "char", "short", "int", "long", "float", "double")

MOST_INVARIANTS = 10

SHORT = 90
"""Characters of a place's formulas that go on one line."""


def lines_of(result: CheckResult, verbose: bool = False, whole_run: bool = False) -> Iterator[Line]:
    """The report without its verdict line; `verbose`: with all engines and counters, invariants and warnings;
    `whole_run`: with lines of a failing run that do not bear on the failure."""
    yield from _head(result)
    yield from warning_lines(result, verbose)
    if verbose:
        yield from engine_lines(result)
    if result.counterexample is not None:
        yield from counterexample_lines(result.counterexample, whole_run or verbose)
    if summary := list(summary_lines(result)):
        yield (("", "plain"),)
        yield from summary
    if result.proof is not None:
        if not summary:
            yield (("", "plain"),)
        yield (("Proof  ", "title"), (result.proof.summary, "plain"))
        yield from _invariants(result.proof, verbose)
        yield ((f"  {_proof_runs(result.proof.runs)}", "dim"),)
    if result.outcome is Outcome.UNKNOWN:
        yield from _unknown(result)
    if verbose and result.checks:
        from counterpoint.report.checks import check_lines

        yield (("", "plain"),)
        yield (("Checks", "title"),)
        yield from check_lines(result)
    yield from _assumptions(result)
    yield from reused_lines(result)
    yield from cached_lines(result)
    for report in result.crash_reports:
        yield (("Crash report: ", "bad"), (report, "plain"))
    yield (("", "plain"),)


def _head(result: CheckResult) -> Iterator[Line]:
    files = ", ".join(result.files)
    used = f"{result.seconds:.1f} s" + (f", {result.memory >> 20} MiB" if result.memory else "")
    yield ((files, "title"), (f"  {result.property}, {result.data_model}, {used}", "dim"))


# ---------------------------------------------------------------- a proof


def _invariants(proof: Proof, verbose: bool) -> Iterator[Line]:
    """`loop at file.c:12: x == y, i <= 100`; a line for each formula where they are long."""
    shown = proof.invariants if verbose else _telling(proof.invariants)
    for invariant in shown:
        where = f"  {invariant.where} at {short(invariant.at)}: "
        together = ", ".join(invariant.formulas)
        if len(together) <= SHORT or len(invariant.formulas) == 1:
            yield ((where, "dim"), (together, "value"))
        else:
            yield ((where.rstrip(), "dim"),)
            yield from (((f"    {formula}", "value"),) for formula in invariant.formulas)
    left = sum(len(one.formulas) for one in proof.invariants) - sum(len(one.formulas) for one in shown)
    if left:
        yield ((f"  ... {left} more: --verbose", "dim"),)


def _telling(invariants: Sequence[Invariant]) -> list[Invariant]:
    """The MOST_INVARIANTS formulas that tell most: those that relate names to each other, then short ones; in the order
    in which they stand."""
    every = [(place, formula) for place, one in enumerate(invariants) for formula in one.formulas]
    ranked = sorted(every, key=lambda pair: (-min(2, _names(pair[1])), len(pair[1])))
    kept = set(ranked[:MOST_INVARIANTS])
    left = (
        replace(one, formulas=tuple(formula for formula in one.formulas if (place, formula) in kept))
        for place, one in enumerate(invariants)
    )
    return [one for one in left if one.formulas]


def _names(formula: str) -> int:
    """How many different names of the program are in it."""
    quantified, _, _ = formula.rpartition(": ")
    bound = set(re.findall(r"\w+", quantified))
    return len(set(re.findall(r"\b[A-Za-z_]\w*", formula)) - bound - {"_BitInt", *TYPE_WORDS})


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


# ---------------------------------------------------------------- no answer


def _unknown(result: CheckResult) -> Iterator[Line]:
    """What is open, what is known, who came nearest, what to try: a command, and the reason as the shell's comment."""
    yield (("", "plain"),)
    if open_ := open_checks(result):
        yield (("Open     ", "unsure"), (open_, "plain"))
    if result.known:
        yield (("Known    ", "title"), ("; ".join(result.known), "plain"))
    stopped = result.nearest or result.detail or result.reason
    yield (("Stopped  ", "title"), (stopped.partition("; open: ")[0] if open_ else stopped, "plain"))
    why = result.advice[0] if result.advice else ""
    if result.next_command:
        yield (("Try      ", "title"), (result.next_command, "value"), (f"  # {why}" if why else "", "dim"))
    elif why:
        yield (("Try      ", "title"), (why, "plain"))
    for other in result.advice[1:]:
        yield (("Or       ", "title"), (other, "plain"))


# ---------------------------------------------------------------- the rest


def warning_lines(result: CheckResult, verbose: bool) -> Iterator[Line]:
    """What clang warns of: as much as fits, of each kind of warning a few."""
    chosen = list(result.warnings)
    if not verbose and len(chosen) > MOST_WARNINGS:
        groups: Counter[str] = Counter()
        chosen = []
        for warning in result.warnings:
            groups[warning.group] += 1
            if groups[warning.group] <= MOST_OF_A_KIND:
                chosen.append(warning)
        chosen = chosen[:MOST_WARNINGS]
    if not chosen:
        return
    yield (("Warnings of the compiler", "unsure"),)
    for warning in chosen:
        yield ((f"  {warning.at}: ", "dim"), (warning.text, "plain"), (f" [{warning.group}]", "dim"))
    if len(chosen) < len(result.warnings):
        yield ((f"  and {len(result.warnings) - len(chosen)} more: --verbose", "dim"),)


def reused_lines(result: CheckResult) -> Iterator[Line]:
    """`Re-used  41 of 43 answers, the proof of houdini (DIR)`: what was had from earlier checks."""
    if result.reused is None:
        return
    yield (("", "plain"),)
    for number, sentence in enumerate(result.reused.sentences()):
        yield (("Re-used  " if not number else "         ", "unsure"), (sentence, "plain"))


def cached_lines(result: CheckResult) -> Iterator[Line]:
    """That the answer is not new, if so."""
    if result.cached is not None and result.cached.answered:
        yield (("", "plain"),)
        yield ((cached_line(result.cached), "unsure"),)


def cached_line(cached: Cached) -> str:
    """`RE-USED: found at 2026-11-24 00:05:02 UTC, by a check of the same text and options: --no-cache checks anew`."""
    when = f"{cached.answered[:19].replace('T', ' ')} UTC"
    if cached.rechecked:
        return f"RE-USED: the evidence was found at {when}, and was checked again now: --no-cache looks for it anew"
    return f"RE-USED: this was answered at {when}, for the same text and options: --no-cache checks anew"


MOST_WARNINGS = 10
MOST_OF_A_KIND = 3


def _assumptions(result: CheckResult) -> Iterator[Line]:
    if result.assumptions:
        yield (("", "plain"),)
        yield (("Assumed", "title"),)
        for sentence in result.assumptions:
            yield ((f"  {sentence}", "plain"),)
