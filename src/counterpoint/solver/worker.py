"""One solver process: an SMT-LIB script in; `sat`, `unsat` or `unknown` out.

`python -m counterpoint.solver.worker BACKEND SECONDS MEGABYTES < script`; 0 megabytes: no limit. It shares
nothing with who started it but the text, which backends read by their own parsers, and ends with its parent.
"""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Callable


def _end_with_parent() -> None:
    """On Linux: be killed when the parent dies. Elsewhere the CPU limit ends the process."""
    if sys.platform == "linux":
        import ctypes
        import signal

        parent_death_signal = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGKILL)


def _bitwuzla(text: str, seconds: float) -> str:
    import bitwuzla

    options = bitwuzla.Options()
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text, True, False)
    solver = parser.bitwuzla()
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
    """Read by the parser of `term`, simplified; z3 finds lemmas for what is left, with products as variables.

    What that refutes counts if Bitwuzla refutes it too, by its own parser. About the rest Bitwuzla is asked as it is,
    if it is simpler than the script.
    """
    from counterpoint.solver.backends import backend
    from counterpoint.solver.polynomial import STEPS_PER_SECOND, products, simplify
    from counterpoint.solver.polynomial.refinement import Refuted, by_abstraction, factors_of
    from counterpoint.solver.protocol import Settings
    from counterpoint.term.smtlib import to_smtlib
    from counterpoint.term.smtlib_parser import parse_smtlib

    deadline = time.monotonic() + seconds
    formulas = parse_smtlib(text).assertions
    if not products(formulas):
        return "unknown: no product of unknowns"
    simplified = simplify(formulas, int(seconds * STEPS_PER_SECOND))
    stay_open = []
    for case in simplified.cases:
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
    solver = bitwuzla.Bitwuzla(terms, options)
    deadline = time.monotonic() + seconds
    solver.configure_terminator(lambda: time.monotonic() >= deadline)

    def valid(number: int) -> bool:
        solver.push()
        solver.assert_formula(terms.mk_term(bitwuzla.Kind.NOT, [formulas[number]]))
        answer = solver.check_sat()
        solver.pop()
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


_RUNNERS = {
    "bitwuzla": _bitwuzla,
    "z3": _z3,
    "cvc5": _cvc5,
    "polynomials": _polynomials,
    "bitwuzla-each": _bitwuzla_each,
    "z3-each": _z3_each,
}


def main() -> int:
    """Exit status 0 if an answer was printed, 1 if the solver failed (its message on stderr)."""
    name, limit = sys.argv[1], float(sys.argv[2])
    _end_with_parent()
    seconds = int(limit) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    megabytes = int(sys.argv[3])
    if megabytes:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    text = sys.stdin.read()
    try:
        print(_RUNNERS[name](text, limit), flush=True)
    except MemoryError:
        print("unknown: memory", flush=True)
    except Exception as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
