"""Tables of a benchmark run as styled lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from counterpoint.benchmarking.rows import Kind, Row
from counterpoint.report.lines import Line

_COLUMNS = ("tasks", "true", "false", "wrong", "unknown", "error", "refused", "solved", "score", "seconds")
SLOWEST = 10


def report_lines(rows: Sequence[Row]) -> Iterator[Line]:
    """For each tool: the table by family, totals by property and expectation, reasons, slowest tasks."""
    for tool in dict.fromkeys(row.tool for row in rows):
        mine = [row for row in rows if row.tool == tool]
        yield from _table(f"{tool}: by family", mine, lambda row: row.family)
        yield from _table("by property and expected verdict", mine, _question)
        yield from _reasons(mine)
        yield from _bad(mine)
        yield from _slowest(mine)


def _question(row: Row) -> str:
    expected = {True: "true", False: "false", None: "not stated"}[row.expected]
    return f"{row.property}, {expected}"


def _table(title: str, rows: Sequence[Row], group: Callable[[Row], str]) -> Iterator[Line]:
    names = sorted({group(row) for row in rows})
    width = max(len(name) for name in [*names, title])
    yield (("", "plain"),)
    yield ((f"{title:<{width}}", "title"), ("".join(f"{name:>9}" for name in _COLUMNS), "dim"))
    for name in names:
        yield _line(f"{name:<{width}}", [row for row in rows if group(row) == name])
    yield _line(f"{'total':<{width}}", rows)


def _line(name: str, rows: Iterable[Row]) -> Line:
    rows = list(rows)
    kinds = Counter(row.kind for row in rows)
    right_true = sum(row.kind is Kind.CORRECT and row.claims_true for row in rows)
    right_false = kinds[Kind.CORRECT] - right_true
    wrong = f"{kinds[Kind.WRONG]:>9}"
    error = f"{kinds[Kind.ERROR]:>9}"
    return (
        (f"{name}{len(rows):>9}{right_true:>9}{right_false:>9}", "plain"),
        (wrong, "bad" if kinds[Kind.WRONG] else "dim"),
        (f"{kinds[Kind.UNKNOWN]:>9}", "plain"),
        (error, "bad" if kinds[Kind.ERROR] else "dim"),
        (f"{kinds[Kind.REFUSED]:>9}", "dim"),
        (f"{kinds[Kind.CORRECT] / len(rows):>9.0%}", "title"),
        (f"{sum(row.score for row in rows):>9}{sum(row.seconds for row in rows):>9.0f}", "plain"),
    )


def _reasons(rows: Sequence[Row]) -> Iterator[Line]:
    reasons = Counter(row.verdict for row in rows if row.kind in (Kind.UNKNOWN, Kind.ERROR))
    if reasons:
        yield (("", "plain"),)
        yield (("why undecided", "title"),)
        for verdict, count in reasons.most_common():
            yield ((f"  {count:>6}  {verdict}", "plain"),)


def _bad(rows: Sequence[Row]) -> Iterator[Line]:
    for row in rows:
        if row.kind in (Kind.WRONG, Kind.ERROR):
            yield bad_line(row)


def bad_line(row: Row) -> Line:
    """A wrong answer or an error, for the eye."""
    expected = {True: "TRUE", False: "FALSE", None: "?"}[row.expected]
    if row.subproperty and row.expected is False:
        expected += f"({row.subproperty})"
    last = row.detail or "".join(row.stderr.strip().splitlines()[-1:])
    text = f"  {row.task}  {row.property}: {row.verdict}, expected {expected}"
    return ((f"{row.kind.value.upper():<6}", "bad"), (f"{text}  {last}".rstrip(), "plain"))


def _slowest(rows: Sequence[Row]) -> Iterator[Line]:
    yield (("", "plain"),)
    yield (("slowest answers", "title"),)
    answered = [row for row in rows if row.kind in (Kind.CORRECT, Kind.WRONG, Kind.UNSCORED)]
    for row in sorted(answered, key=lambda row: -row.seconds)[:SLOWEST]:
        yield ((f"  {row.seconds:7.1f} s  {row.task}  {row.verdict}", "plain"),)


# ---------------------------------------------------------------- comparison


def comparison_lines(old: Sequence[Row], new: Sequence[Row]) -> Iterator[Line]:
    """What changed between two runs on the questions that both answered."""
    before = {row.key: row for row in old}
    pairs = [(before[row.key], row) for row in new if row.key in before]
    yield (("", "plain"),)
    yield ((f"compared with the earlier run on {len(pairs)} common questions", "title"),)
    for title, style, change in _CHANGES:
        found = [(was, now) for was, now in pairs if change(was, now)]
        if found:
            yield ((f"  {title}: {len(found)}", style),)
            for was, now in found[:50]:
                text = f"    {now.task}  {now.property}: {was.verdict} -> {now.verdict}"
                yield ((f"{text}  ({was.seconds:.1f} s -> {now.seconds:.1f} s)", "plain"),)
    both = [(was, now) for was, now in pairs if was.kind is Kind.CORRECT and now.kind is Kind.CORRECT]
    spent = (sum(was.seconds for was, _ in both), sum(now.seconds for _, now in both))
    scores = (sum(was.score for was, _ in pairs), sum(now.score for _, now in pairs))
    yield ((f"  score {scores[0]} -> {scores[1]}", "plain"),)
    yield ((f"  seconds on the {len(both)} solved by both: {spent[0]:.0f} -> {spent[1]:.0f}", "plain"),)


def _lost(was: Row, now: Row) -> bool:
    return was.kind is Kind.CORRECT and now.kind not in (Kind.CORRECT, Kind.WRONG)


def _gained(was: Row, now: Row) -> bool:
    return was.kind is not Kind.CORRECT and now.kind is Kind.CORRECT


def _newly_wrong(was: Row, now: Row) -> bool:
    return was.kind is not Kind.WRONG and now.kind is Kind.WRONG


def _contradicts(was: Row, now: Row) -> bool:
    answers = {was.verdict.split("(")[0], now.verdict.split("(")[0]}
    return answers == {"TRUE", "FALSE"}


def _slower(was: Row, now: Row) -> bool:
    solved = was.kind is Kind.CORRECT and now.kind is Kind.CORRECT
    return solved and now.seconds > 2 * was.seconds + 1


_CHANGES: tuple[tuple[str, str, Callable[[Row, Row], bool]], ...] = (
    ("contradicting answers", "bad", _contradicts),
    ("newly wrong", "bad", _newly_wrong),
    ("lost", "unsure", _lost),
    ("gained", "good", _gained),
    ("more than twice as slow", "unsure", _slower),
)
