"""The interlocked functions of Windows: what they leave in the variable, and what they return."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Safe, Unsafe

CASES = {
    "Increment(&x)": ("b + 1", "b + 1"),
    "Decrement(&x)": ("b - 1", "b - 1"),
    "Exchange(&x, v)": ("v", "b"),
    "ExchangeAdd(&x, v)": ("b + v", "b"),
    "CompareExchange(&x, v, 7)": ("b == 7 ? v : b", "b"),
}


@pytest.mark.parametrize("prefix", ["Interlocked", "_Interlocked"])
@pytest.mark.parametrize("call", CASES)
def test_interlocked(call: str, prefix: str) -> None:
    after, result = CASES[call]
    parameters = ", long" * call.count(",")
    text = f"""extern long {prefix}{call.partition("(")[0]}(volatile long *{parameters});
        int main(void) {{
            long x = any(), b = x, v = any();
            if (b < -1000 || b > 1000 || v < -1000 || v > 1000) return 0;
            long r = {prefix}{call};
            check(x == ({after}) && r == ({result}));
            return 0; }}"""
    assert isinstance(ENGINE.verify(Task(subject(text)), Tools(Budget(60))), Safe)
    wrong = subject(text.replace("r == (", "r == 1 + ("))
    assert isinstance(ENGINE.verify(Task(wrong), Tools(Budget(60))), Unsafe)
