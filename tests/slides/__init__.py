"""The programs of the slides on counterexample-guided refinement (M. Sagiv, "Counter Example Guided Refinement").

The first line of each C file is the verdict that is right, as in tests/test_regression.py; the second one names the
slide. Statements stand in lines of their own (program/statements.py).
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent

_LOCKS = """// TRUE
// Slides 26-28: p1 to p{n} correlate a lock with its unlock each; tracked everywhere they make 2^{n} states.
extern _Bool __VERIFIER_nondet_bool(void);
extern void reach_error(void);

static int held;

static void lock(void) {{
    if (held != 0)
        reach_error();
    held = 1;
}}

static void unlock(void) {{
    if (held != 1)
        reach_error();
    held = 0;
}}

int main(void) {{
{drawn}    while (__VERIFIER_nondet_bool()) {{
{body}    }}
    return 0;
}}
"""
_DRAWN = "    _Bool p{k} = __VERIFIER_nondet_bool();\n"
_PAIR = """        if (p{k})
            lock();
        if (p{k})
            unlock();
"""


def slide(name: str) -> Path:
    """The file of one of the programs, by its name without `.c`."""
    return FOLDER / f"{name}.c"


def locks(n: int) -> str:
    """The program of slides 26-28 with n pairs of lock and unlock; p1 to pn are drawn once, before the loop. TRUE."""
    numbers = range(1, n + 1)
    drawn = "".join([_DRAWN.format(k=k) for k in numbers])
    body = "".join([_PAIR.format(k=k) for k in numbers])
    return _LOCKS.format(n=n, drawn=drawn, body=body)
