"""Marks of formulas: the same in every process, by what they say alone."""

from __future__ import annotations

import subprocess
import sys

from counterpoint.term import build
from counterpoint.term.marks import Marks
from counterpoint.term.sorts import BOOL, BitVec

SCRIPT = """
from counterpoint.term import build
from counterpoint.term.marks import Marks
from counterpoint.term.sorts import BOOL, BitVec
names = "qp"
q, p = (build.variable(name, BOOL) for name in names)
y, x = (build.variable(name, BitVec(32)) for name in "yx")
print(Marks().of(build.and_(build.ult(x, y, 32), build.and_(p, q))))
"""


def test_marks_do_not_depend_on_what_was_made_first() -> None:
    p, q = (build.variable(name, BOOL) for name in "pq")
    x, y = (build.variable(name, BitVec(32)) for name in "xy")
    formula = build.and_(build.ult(x, y, 32), build.and_(q, p))
    told = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == Marks().of(formula)


def test_marks_tell_formulas_apart() -> None:
    x, y = (build.variable(name, BitVec(32)) for name in "xy")
    formulas = [1, 0, build.ult(x, y, 32), build.ult(y, x, 32), build.eq(x, y, 32), build.ult(x, 5, 32)]
    marks = Marks()
    assert len({marks.of(formula) for formula in formulas}) == len(formulas)
