"""swprintf without a size, as Windows had it: what it may write, what it may not, and that the standard's is refused."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Safe, Unknown, Unsafe
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Limits, Violated

OLD = """typedef unsigned short wchar; extern int swprintf(wchar *, const wchar *, ...);
    int main(void) { wchar b[20]; b[14] = 7; b[19] = 8; """
CASES = {
    "text": ('int n = swprintf(b, (wchar *)"a\\0%\\0%\\0b\\0\\0"); check(n == 3 && b[1] == 37 && b[2] == 98 && b[3] == 0);', Safe),
    "nothing behind it": ('swprintf(b, (wchar *)"a\\0%\\0d\\0b\\0\\0", any()); check(b[14] == 7 && b[19] == 8);', Safe),
    "length": ('int n = swprintf(b, (wchar *)"a\\0%\\0d\\0\\0", any()); check(n >= 2 && n <= 12 && b[n] == 0 && b[n - 1]);', Safe),
    "long": ('swprintf(b, (wchar *)"%\\0d\\0\\0", any()); check(b[10] != 0x33);', Unsafe),
    "any digit": ('swprintf(b, (wchar *)"%\\0d\\0\\0", any()); check(b[0] != 0x33);', Unsafe),
    "a string": ('swprintf(b, (wchar *)"%\\0s\\0\\0", b); check(b[19] == 8);', Unknown),
}


@pytest.mark.parametrize("name", CASES)
def test_the_form_without_a_size(name: str) -> None:
    text, expected = CASES[name]
    made = subject(OLD + text + " return 0; }")
    verdict = ENGINE.verify(Task(made), Tools(Budget(60)))
    assert isinstance(verdict, expected), verdict
    if isinstance(verdict, Unsafe):
        replayed = run(made.program("none"), ReplayInputs(verdict.violation.inputs), Limits(steps=100_000))
        assert isinstance(replayed.outcome, Violated)


@pytest.mark.parametrize(("end", "safe"), [("", False), ("\\0", True)])
def test_a_terminator_that_is_cut_off_is_an_invalid_read(end: str, safe: bool) -> None:
    text = OLD + f'swprintf(b, (wchar *)"a\\0{end}"); return 0; }}'
    verdict = ENGINE.verify(Task(subject(text, "memory-safety")), Tools(Budget(60)))
    assert isinstance(verdict, Safe if safe else Unsafe), verdict


@pytest.mark.parametrize("model", ["LP64", "ILP32"])
@pytest.mark.parametrize("size", ["20", "any()"])
def test_the_form_of_the_standard_is_refused(size: str, model: str) -> None:
    text = f"""extern int swprintf(__WCHAR_TYPE__ *, __SIZE_TYPE__, const __WCHAR_TYPE__ *, ...);
        int main(void) {{ __WCHAR_TYPE__ b[20]; b[0] = 1; swprintf(b, {size}, L"%d", 3); check(b[0] == 1); return 0; }}"""
    if model == "ILP32":
        text = text.replace("__SIZE_TYPE__", "unsigned")
    verdict = ENGINE.verify(Task(subject(text, data_model=model)), Tools(Budget(60)))
    assert isinstance(verdict, Unknown), verdict
