"""The checks of a result in a few lines: counts of what is proved, by line what is not."""

from __future__ import annotations

from dataclasses import replace

from counterpoint.core.source import SourceLocation
from counterpoint.portfolio.result import Answer, CheckAnswer, CheckResult, Counterexample, Outcome
from counterpoint.property import all_properties
from counterpoint.report.lines import clean
from counterpoint.report.terminal import lines_of

BASE = CheckResult(Outcome.TRUE, "memory-safety", ("dir/f.c",), "LP64", "main")


def check(number: int, answer: Answer, kind: str = "valid-deref", what: str = "read of 4 bytes") -> CheckAnswer:
    return CheckAnswer(number, kind, SourceLocation("dir/f.c", number + 1, 3, "main"), what, answer)


def report(result: CheckResult, verbose: bool = False) -> list[str]:
    return ["".join(text for text, _ in clean(line)).rstrip() for line in lines_of(result, verbose)]


def test_what_was_proved() -> None:
    proved = [*(check(number, Answer.PROVED) for number in range(1000)), check(0, Answer.PROVED, "valid-free"), check(0, Answer.PROVED, "valid-memtrack")]
    assert "Proved   1,002 checks: 1,000 accesses, 1 free, lost memory" in report(replace(BASE, checks=tuple(proved)))
    assert "Proved   1 check: 1 shift" in report(replace(BASE, checks=(check(0, Answer.PROVED, "shift"),)))
    assert not any("Proved" in line for line in report(BASE))


def test_the_checks_of_every_property_have_a_word() -> None:
    kinds = {kind for one in all_properties() for kind in one.kinds}
    said = set()
    for kind in kinds:
        checks = tuple(check(number, Answer.PROVED, kind) for number in range(2))
        (line,) = (line for line in report(replace(BASE, checks=checks)) if line.startswith("Proved"))
        said.add(line.removeprefix("Proved   2 checks: "))
    assert said == {
        "2 accesses", "2 frees", "lost memory", "2 overflows", "2 assertions", "2 shifts", "2 divisions", "2 conversions",
        "2 copies", "2 undefined operations", "2 reads of a local", "2 ends of the program",
    }  # fmt: skip


def test_what_is_open() -> None:
    unknown = replace(BASE, outcome=Outcome.UNKNOWN, reason="OUT_OF_TIME", known=("1 of 9 checks proved", "no violation in 7 tests"))
    checks = (check(0, Answer.PROVED), *(check(number, Answer.UNKNOWN) for number in range(1, 8)), check(9, Answer.UNKNOWN, "valid-memtrack"))
    lines = report(replace(unknown, checks=checks))
    assert "Open     8 of 9 checks: f.c:2 read of 4 bytes, f.c:3 read of 4 bytes, f.c:4 read of 4 bytes, f.c:5 read of 4 bytes, f.c:6 read of 4 bytes, and 3 more" in lines
    assert "Known    1 of 9 checks proved; no violation in 7 tests" in lines
    assert len([line for line in lines if line]) <= 5
    assert "Open     1 of 1 check: lost memory" in report(replace(unknown, checks=checks[-1:]))
    assert sum("read of 4 bytes" in line for line in report(replace(unknown, checks=checks), verbose=True)) == 9 + 1


def test_other_violations_have_a_line_each() -> None:
    first = Counterexample(0, "valid-deref", "first", SourceLocation("f.c", 1, 1), "none")
    others = tuple(replace(first, message=f"other {number} \x1b[2J", at=SourceLocation("f.c", number), behind=number == 3) for number in range(2, 20))
    lines = report(replace(BASE, outcome=Outcome.FALSE, counterexample=first, findings=(first, *others)))
    assert sum(line.startswith("Also     f.c:") for line in lines) == 10
    assert any("other 3" in line and "violates another check first" in line for line in lines)
    assert any("and 8 more" in line for line in lines) and "\x1b" not in "".join(lines)
