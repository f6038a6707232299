"""One solver process: SMT-LIB scripts in, one after another; for each a line `sat`, `unsat` or `unknown` out.

`python worker.py BACKEND MEGABYTES`; 0 megabytes: no limit. On standard input a line `WHAT SECONDS BYTES` comes before
each script. WHAT is `check`, or `each`: then the answer is `not` and the positions of the assertions that are not shown
to be valid by themselves. It shares nothing with who started it but the texts, which backends read by their own
parsers, each time into solvers made for it; and ends with its parent. Started as a file, and few modules imported: to
start takes longer than most answers.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterpoint.term.term import V

LONG = 20_000
"""Characters of a script whose first assertion, of a proof's question the goals, is asserted behind the others, at a
level of its own: what these say by themselves is then worked out without the many cases of the goals."""

SHARED_SECONDS = 0.1
"""For a formula in the solver that is used for all of `each`; one of its own takes longer to make, and normalises sums,
which solvers with levels do not."""


def _end_with_parent() -> None:
    """On Linux: be killed when the parent dies. Elsewhere the CPU limit ends the process."""
    if sys.platform == "linux":
        import ctypes

        parent_death_signal, kill = 1, 9
        try:
            ctypes.CDLL(None).prctl(parent_death_signal, kill)
        except (OSError, AttributeError):
            return


def _bitwuzla(text: str, seconds: float) -> str:
    import bitwuzla

    options = bitwuzla.Options()
    terms = bitwuzla.TermManager()
    parser = bitwuzla.Parser(terms, options)
    parser.parse(text, True, False)
    solver = parser.bitwuzla()
    formulas = solver.get_assertions()
    if len(text) >= LONG and formulas:
        solver = bitwuzla.Bitwuzla(terms, options)
        for formula in formulas[1:]:
            solver.assert_formula(formula)
        solver.push()
        solver.assert_formula(formulas[0])
    deadline = time.monotonic() + seconds
    solver.configure_terminator(lambda: time.monotonic() >= deadline)
    result = solver.check_sat()
    return {bitwuzla.Result.SAT: "sat", bitwuzla.Result.UNSAT: "unsat"}.get(result, "unknown")


def _z3(text: str, seconds: float) -> str:
    import z3

    logic = text.split("(set-logic ", 1)[-1].split(")", 1)[0] if "(set-logic " in text else None
    solver = z3.SolverFor(logic) if logic else z3.Solver()
    solver.set("timeout", max(1, int(seconds * 1000)))
    solver.from_string(text.replace("(check-sat)", ""))
    return str(solver.check())


def _polynomials(text: str, seconds: float) -> str:
    """Read by the parser of `term`, goal by goal, then simplified; what is left is asked without what has products in
    it; then z3 finds lemmas, with products as variables.

    What that refutes counts if Bitwuzla refutes it too, by its own parser. About the rest Bitwuzla is asked as it is,
    if it is simpler than the script.
    """
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 2))  # noqa: PTH100, PTH118, PTH120
    from counterpoint.solver.backends import backend
    from counterpoint.solver.polynomial import STEPS, STEPS_PER_SECOND, has_identities, simplify
    from counterpoint.solver.polynomial.apart import left_open, without_products
    from counterpoint.solver.polynomial.refinement import Refuted, by_abstraction, factors_of
    from counterpoint.solver.protocol import Settings
    from counterpoint.term.smtlib import to_smtlib
    from counterpoint.term.smtlib_parser import parse_smtlib

    deadline = time.monotonic() + seconds
    formulas = parse_smtlib(text).assertions
    if not has_identities(formulas):
        return "unknown: no product of unknowns, and no long sum"
    steps = int(seconds * STEPS_PER_SECOND)

    def refutes(some: Sequence[V]) -> bool:
        return _bitwuzla(to_smtlib(some), (deadline - time.monotonic()) / 4) == "unsat"

    formulas = left_open(formulas, min(steps, STEPS), refutes)
    if formulas[0] == 0:
        return "unsat"
    simplified = simplify(formulas, steps)
    stay_open = []
    for case in simplified.cases:
        if refutes(without_products(case.formulas)):
            continue
        third = (deadline - time.monotonic()) / 3
        factored = factors_of(formulas, case)
        found = by_abstraction(case.formulas, lambda: backend("z3").connect(Settings()), third, factored)
        if not isinstance(found, Refuted) or _bitwuzla(to_smtlib(found.formulas), third) != "unsat":
            stay_open.append(case)
    if stay_open and not simplified.changed:
        return "unknown: no polynomial identity helps"
    for case in stay_open:
        answer = _bitwuzla(to_smtlib(case.formulas), deadline - time.monotonic())
        if answer != "unsat":
            return answer
    return "unsat"


def _cvc5(text: str, seconds: float) -> str:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(max(1, int(seconds * 1000))))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
    symbols = parser.getSymbolManager()
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer = str(command.invoke(solver, symbols)).strip() or answer
    return answer


def _bitwuzla_each(text: str, seconds: float) -> str:
    """Whether each assertion is valid by itself: see solver/valid.py."""
    import bitwuzla

    options = bitwuzla.Options()
    terms = bitwuzla.TermManager()
    parser = bitwuzla.Parser(terms, options)
    parser.parse(text, True, False)
    formulas = parser.bitwuzla().get_assertions()
    shared = bitwuzla.Bitwuzla(terms, options)
    deadline = until = time.monotonic() + seconds
    shared.configure_terminator(lambda: time.monotonic() >= until)

    def valid(number: int) -> bool:
        nonlocal until
        violated = terms.mk_term(bitwuzla.Kind.NOT, [formulas[number]])
        until = min(deadline, time.monotonic() + SHARED_SECONDS)
        shared.push()
        shared.assert_formula(violated)
        answer = shared.check_sat()
        shared.pop()
        if answer == bitwuzla.Result.UNKNOWN and time.monotonic() < deadline:
            alone = bitwuzla.Bitwuzla(terms, options)
            alone.configure_terminator(lambda: time.monotonic() >= deadline)
            alone.assert_formula(violated)
            answer = alone.check_sat()
        return bool(answer == bitwuzla.Result.UNSAT)

    return _those_not(valid, len(formulas))


def _z3_each(text: str, seconds: float) -> str:
    """Whether each assertion is valid by itself: see solver/valid.py."""
    import z3

    solver = z3.Solver()
    solver.from_string(text.replace("(check-sat)", ""))
    formulas = list(solver.assertions())
    deadline = time.monotonic() + seconds

    def valid(number: int) -> bool:
        asked = z3.Solver()
        asked.set("timeout", max(1, int((deadline - time.monotonic()) * 1000)))
        asked.add(z3.Not(formulas[number]))
        return bool(asked.check() == z3.unsat)

    return _those_not(valid, len(formulas))


def _those_not(valid: Callable[[int], bool], count: int) -> str:
    return " ".join(["not", *(str(number) for number in range(count) if not valid(number))])


_CHECK = {"bitwuzla": _bitwuzla, "z3": _z3, "cvc5": _cvc5, "polynomials": _polynomials}
_EACH = {"bitwuzla": _bitwuzla_each, "z3": _z3_each}


def _limit_processor_time(seconds: float) -> None:
    """The process is ended where a solver does not heed its own limit."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(name: str, what: str, seconds: float, text: str) -> str:
    """One line."""
    try:
        _limit_processor_time(seconds)
        runner = (_EACH if what == "each" else _CHECK)[name]
        return runner(text, seconds)
    except MemoryError:
        return "unknown: memory"
    except Exception as error:
        return f"failed {name}: {' '.join(str(error).split())[:200]}"


def main() -> int:
    """Answers until there are no more scripts."""
    name, megabytes = sys.argv[1], int(sys.argv[2])
    _end_with_parent()
    if megabytes:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    scripts = sys.stdin.buffer
    while request := scripts.readline().split():
        what, seconds, size = request
        text = scripts.read(int(size)).decode()
        print(_answer(name, what.decode(), float(seconds), text), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
