"""Several runs over the same questions beside each other: who decides what, and what only one of them decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from counterpoint.benchmarking.rows import Kind, Row
from counterpoint.benchmarking.runner import read_file
from counterpoint.benchmarking.tools import OURS
from counterpoint.core.records import dataclass
from counterpoint.report.lines import Line

Question: TypeAlias = tuple[str, str]
"""(task, property)."""

Runs: TypeAlias = Mapping[str, Mapping[Question, Row]]
"""By the name of what ran: an engine, `auto`, another tool."""

AUTO = "auto"

FACTOR, SECONDS = 2.0, 1.0
"""What the portfolio may take for a question: so many times the best single engine's time, and seconds more."""

LISTED = 40


def runs_of(rows: Sequence[Row], engine: str) -> dict[str, dict[Question, Row]]:
    """The rows by tool; our own standard one is called by its `--engine`."""
    found: dict[str, dict[Question, Row]] = {}
    for row in rows:
        name = engine if row.tool == OURS else row.tool
        found.setdefault(name, {})[row.task, row.property] = row
    return found


def read_runs(paths: Sequence[Path]) -> dict[str, dict[Question, Row]]:
    """The runs of all files; one whose name is taken is called by its file. Raises UnusableInput."""
    found: dict[str, dict[Question, Row]] = {}
    for path in paths:
        settings, rows = read_file(path)
        for name, answers in runs_of(list(rows.values()), str(settings.get("engine", AUTO))).items():
            found[f"{path.stem}: {name}" if name in found else name] = answers
    return found


@dataclass(frozen=True, slots=True)
class SideBySide:
    """`runs` on the questions that all of them were asked."""

    runs: Runs
    questions: tuple[Question, ...]

    @classmethod
    def of(cls, runs: Runs) -> SideBySide:
        first = next(iter(runs.values()))
        return cls(runs, tuple(q for q in first if all(q in answers for answers in runs.values())))

    def deciders(self, question: Question) -> list[str]:
        """Who answered it correctly (or at all, where no verdict is stated)."""
        right = (Kind.CORRECT, Kind.UNSCORED)
        return [name for name, answers in self.runs.items() if answers[question].kind in right]

    def decided(self, name: str) -> list[Question]:
        return [question for question in self.questions if name in self.deciders(question)]

    def only(self, name: str) -> list[Question]:
        """What no other run decides; `auto` is made of the others and does not count."""
        return [q for q in self.questions if [n for n in self.deciders(q) if n != AUTO or n == name] == [name]]

    def best(self, question: Question) -> float | None:
        """The seconds of the fastest single engine that decides it."""
        names = [name for name in self.deciders(question) if name != AUTO]
        return min((self.runs[name][question].seconds for name in names), default=None)


def side_by_side_lines(runs: Runs) -> Iterator[Line]:
    """Totals of each run and of the virtual best, by family, what only one decides, and how `auto` does."""
    table = SideBySide.of(runs)
    yield (("", "plain"),)
    yield ((f"side by side on {len(table.questions)} common questions", "title"),)
    yield from _totals(table)
    yield from _families(table)
    yield from _unique(table)
    if AUTO in runs and len(runs) > 1:
        yield from _auto(table)


def _totals(table: SideBySide) -> Iterator[Line]:
    width = max(14, *map(len, table.runs)) + 2
    columns = ("decided", "true", "false", "wrong", "only it", "seconds")
    yield ((f"{'':{width}}", "plain"), ("".join(f"{name:>10}" for name in columns), "dim"))
    for name, answers in table.runs.items():
        decided = table.decided(name)
        true = sum(answers[question].claims_true for question in decided)
        wrong = sum(answers[question].kind is Kind.WRONG for question in table.questions)
        seconds = sum(answers[question].seconds for question in decided)
        yield (
            (f"{name:{width}}{len(decided):>10}{true:>10}{len(decided) - true:>10}", "plain"),
            (f"{wrong:>10}", "bad" if wrong else "dim"),
            (f"{len(table.only(name)):>10}{seconds:>10.0f}", "plain"),
        )
    best = [least for question in table.questions if (least := table.best(question)) is not None]
    yield ((f"{'virtual best':{width}}{len(best):>10}{'':>40}{sum(best):>10.0f}", "title"),)


def _families(table: SideBySide) -> Iterator[Line]:
    first = next(iter(table.runs.values()))
    families = sorted({first[question].family for question in table.questions})
    width = max([14, *map(len, families)]) + 2
    columns = {name: max(8, len(name) + 2) for name in table.runs}
    yield (("", "plain"),)
    head = "".join(f"{name:>{column}}" for name, column in columns.items())
    yield ((f"{'by family':{width}}", "title"), (f"{'tasks':>7}{head}{'any':>8}", "dim"))
    for family in families:
        inside = [question for question in table.questions if first[question].family == family]
        deciders = [table.deciders(question) for question in inside]
        counts = (f"{sum(name in d for d in deciders):>{column}}" for name, column in columns.items())
        any_ = sum(bool(d) for d in deciders)
        yield ((f"{family:{width}}{len(inside):>7}{''.join(counts)}{any_:>8}", "plain"),)


def _unique(table: SideBySide) -> Iterator[Line]:
    for name in table.runs:
        found = table.only(name)
        if not found:
            continue
        yield (("", "plain"),)
        yield ((f"only {name} decides", "title"), (f"  ({len(found)})", "dim"))
        for question in found[:LISTED]:
            row = table.runs[name][question]
            yield ((f"  {row.seconds:7.1f} s  {row.task}  {row.property}: {row.verdict}", "plain"),)
        if len(found) > LISTED:
            yield ((f"  ... {len(found) - LISTED} more", "dim"),)


def _auto(table: SideBySide) -> Iterator[Line]:
    """How far `auto` is from the best single engine of each question."""
    answers = table.runs[AUTO]
    best = {q: seconds for q in table.questions if (seconds := table.best(q)) is not None}
    mine = set(table.decided(AUTO))
    both = [question for question in best if question in mine]
    spent = sum(answers[question].seconds for question in both)
    least = sum(best[question] for question in both)
    allowed = FACTOR * least + SECONDS * len(both)
    share = len(both) / len(best) if best else 1.0
    yield (("", "plain"),)
    yield (("auto beside the single engines", "title"),)
    style = "good" if share >= 0.95 else "bad"
    yield ((f"  decides {len(both)} of the {len(best)} that they decide together: ", "plain"), (f"{share:.1%}", style))
    text = f"  {spent:.0f} s on those; the best of each {least:.0f} s; {FACTOR:g} times that and {SECONDS:g} s each: "
    yield ((text, "plain"), (f"{allowed:.0f} s", "good" if spent <= allowed else "bad"))
    slow = [q for q in both if answers[q].seconds > FACTOR * best[q] + SECONDS]
    for question in sorted(slow, key=lambda q: best[q] - answers[q].seconds)[:LISTED]:
        yield ((f"  slow  {question[0]}: {best[question]:.1f} s -> {answers[question].seconds:.1f} s", "plain"),)
    for question in [q for q in best if q not in mine][:LISTED]:
        who = ", ".join(name for name in table.deciders(question))
        yield ((f"  lost  {question[0]}: {answers[question].verdict}, decided by {who}", "unsure"),)
