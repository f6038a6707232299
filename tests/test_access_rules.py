"""Every row of the table of access rules as a program: the encoding, the interpreter and native code obey it."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.execute.inputs import ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.native.build import Outcome
from counterpoint.execute.outcome import Finished, Violated
from counterpoint.execute.subject import compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.semantics.access_rules import RULES, Owner, Place, Rule, rendered

PAGE = Path(__file__).parent.parent / "docs" / "access-rules.md"

OWNERS = {
    Owner.LIVE: ("char s[8]; char *h = malloc(8), l[8];", ("s", "h", "l", "st")),
    Owner.CONSTANT: ("", ('(char *)"seven.."', "(char *)fixed")),
    Owner.DEAD: ("char *d; { char l[8] = {0}; d = l; }", ("d", "left()", "(char *)(word)left()")),
    Owner.FREED: ("char *f = malloc(8); word n = (word)f; free(f);", ("f", "(char *)n")),
    Owner.CODE: ("", ("(char *)code",)),
    Owner.EXTERNAL: ("char *e = outside(); if (!e) return 0;", ("e",)),
    Owner.NULL: ("", ("(char *)0", "(char *)none")),
    Owner.NUMBER: ("", ("(char *)number",)),
}
PLACES = {
    Place.INSIDE: "p + 6",
    Place.PARTLY: "p + 7",
    Place.ONE_PAST: "p + 8",
    Place.BEFORE: "p - 2",
    Place.ANOTHER: "p + ((word)another - (word)p)",
    Place.WRAPPING: "(char *)((short *)p + ((word)1 << (8 * sizeof(word) - 1)))",
}
TEXT = """
typedef __SIZE_TYPE__ word;
extern void *malloc(word); extern void free(void *); extern char *outside(void);
static char st[8], another[8]; static const char fixed[8] = {1}; static word none, number = 0x12345670;
static void code(void) {}
static char *left(void) { char l[8] = {0}; char *p = l; return p; }
int main(void) { SETUP char *p = START; short *q = (short *)(PLACE); ACCESS; return 0; }
"""


def cases() -> list[object]:
    found = []
    for rule in RULES:
        setup, starts = OWNERS[rule.owner]
        for start in starts:
            for write in (False, True):
                name = f"{rule.owner.name}-{rule.place.name}-{start}-{'write' if write else 'read'}"
                found.append(pytest.param(rule, setup, start, write, id=name))
    return found


def test_the_page_is_current() -> None:
    assert PAGE.read_text() == rendered()


def test_every_state_and_place_has_a_rule() -> None:
    assert {rule.owner for rule in RULES} == set(Owner)
    assert {rule.place for rule in RULES} == set(Place)


@pytest.mark.parametrize(("rule", "setup", "start", "write"), cases())
def test_rule(rule: Rule, setup: str, start: str, write: bool, tmp_path: Path) -> None:
    access = "*(volatile short *)q = 1" if write else "(void)*(volatile short *)q"
    parts = {"SETUP": setup, "START": start, "PLACE": PLACES[rule.place], "ACCESS": access}
    text = TEXT
    for name, part in parts.items():
        text = text.replace(name, part)
    file = tmp_path / "rule.c"
    file.write_text(text)
    valid = rule.write if write else rule.read
    model = "ILP32" if write else "LP64"
    subject = compile_subject(SourceTask(files=(file,), data_model=model, property="valid-deref"))
    try:
        program = subject.program("none")
        verdict = ENGINE.verify(Task(subject), Tools(Budget(60)))
        inputs = verdict.violation.inputs if isinstance(verdict, Unsafe) else ()
        assert isinstance(verdict, Safe if valid else Unsafe), verdict
        seen = run(program, ReplayInputs(inputs)).outcome
        assert isinstance(seen, Finished if valid else Violated), seen
        native = subject.native("none").replay(inputs).outcome
        expected = Outcome.FINISHED if valid else Outcome.VIOLATED
        assert native is expected or (native is Outcome.STRAYED and rule.place is Place.ANOTHER), native
    finally:
        subject.close()
