"""Table 1 of the dynamic inference paper, as far as it can be made again.

`python benchmarks/table1.py --bench BENCH --out DIR [--label SECONDS]` writes for each of the 18 rows a C file with the
paper's bound (NN_APP.c), for those labelled safe one without it (NN_APP_unbounded.c), task definitions with the set
`DIR/DIR.set`, and `rows.json` with the paper's columns beside ours. BENCH is a folder with the SystemC models
`systemc/bist_cell_safe.c` and `systemc/pc_sfifo_1_safe.c`; the token rings and transmitters are generated (kratos.py).

The paper gives the lines of its assertions, not their conditions. Each row's assertion stands in the function that lies
at the same share of our program's lines, with a condition of ours. As in the paper: loops of `eval` and
`start_simulation` are left after 10 iterations; globals with an initial value in their declaration begin with an
input; an input that initialises a local becomes a constant; the programs' own assertions are removed.

`--label` runs bounded model checking to bound 10 with that time for each file, and adds to the row what it said: a
violation (replayed), or the bound up to which there is none. A label that is contradicted ends with status 1.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from kratos import token_ring, transmitter
from tasks import questions, write_set

ROUNDS = 10
"""Iterations after which the loops of the bounded loops' functions are left."""

BOUNDED = ("eval", "start_simulation")

SIMPLE_EX = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void abort(void);
void error(void)
{
  reach_error();
  abort();
}
int sum(int n)
{
  int i = 0, j = 0;
  while (i <= n) {
    i++;
    j += i;
  }
  return i + j;
}
void foo(int flag, unsigned int n)
{
  int k = 1, z;
  if (flag) {
    k = n * n;
  }
  z = k + sum(n);
  if (!(z > 2 * (int)n)) {
    error();
  }
}
int main(void)
{
  int flag = __VERIFIER_nondet_int();
  unsigned int n = __VERIFIER_nondet_int();
  if (n < BOUND) {
    foo(flag, n);
  }
  return 0;
}
"""
"""The example of Dillig, Dillig and Aiken (PLDI 2012), with their loop in a function, for numbers whose sums do not
wrap around."""


@dataclass(frozen=True, slots=True)
class Published:
    """A row as printed: columns 1 to 10. None stands for a dash; a result is safe, unsafe or TO."""

    app: str
    functions: int
    lines: int
    assertion_at: int
    satabs: str
    div: str
    abstracted: int
    parts: int | None
    invariants: int | None
    iterations: int | None
    refinements: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """`condition` is asserted in `function`: where it is entered, or in front of its return."""

    paper: Published
    function: str
    place: str
    condition: str
    safe: bool


def _row(printed: str, function: str = "", place: str = "", condition: str = "", safe: bool | None = None) -> Row:
    """`printed`: the row's columns; the label is DIV's unless given (where DIV has none)."""
    app, *words = printed.split()
    numbers = [None if word == "-" else int(word) for word in (*words[:3], *words[5:])]
    paper = Published(app, *numbers[:3], *words[3:5], *numbers[3:])  # type: ignore[arg-type]
    return Row(paper, function, place, condition, paper.div == "safe" if safe is None else safe)


ROWS = (
    _row("SimpleEx 3 24 17 safe safe 1 1 6 2 1", "foo"),
    _row("bist_cell 18 449 299 safe safe 8 14 26 25 2", "fire_delta_events", "exit", "b0_req_up == 0 && z_req_up == 0"),
    _row("bist_cell 18 449 199 unsafe unsafe 2 2 2 10 2", "update_channels", "entry", "z_req_up == 0"),
    _row(
        "pc_sfifo3 19 555 358 safe safe 8 13 9 7 1", "exists_runnable_thread", "entry",
        "(unsigned )p_num_write - (unsigned )c_num_read == (unsigned )(1 - q_free)",
    ),
    _row("pc_sfifo3 19 555 508 unsafe unsafe 5 5 8 32 5", "start_simulation", "exit", "p_num_write <= 5"),
    _row("token_ring10 35 1567 1152 TO safe 14 14 - - 0", "reset_delta_events", "exit", "M_E != 1 && E_10 != 1"),
    _row("token_ring10 35 1567 451 TO unsafe 23 23 - - 0", "transmit9", "exit", "t9_pc == 0"),
    _row(
        "token_ring10 35 1567 675 TO unsafe 12 12 2 8 2", "is_transmit9_triggered", "exit",
        "!(E_9 == 1 && m_pc == 1 && t8_st == 1)",
    ),
    _row("transmitter12 39 1777 1322 TO safe 16 16 - - 0", "reset_delta_events", "exit", "E_1 != 1 && E_12 != 1"),
    _row("transmitter12 39 1777 519 TO unsafe 27 27 2 9 1", "transmit11", "exit", "E_12 != 2 || t10_st != 2"),
    _row(
        "transmitter12 39 1777 775 TO TO 15 15 - - -", "is_transmit11_triggered", "exit",
        "t11_st >= 0 && t11_st <= 2 && m_st >= 0 && m_st <= 2", safe=True,
    ),
    _row("transmitter13 41 1899 1715 TO safe 17 17 - - 0", "reset_time_events", "exit", "M_E != 1 && E_13 != 1"),
    _row("transmitter13 41 1899 560 TO unsafe 29 29 2 4 2", "transmit13", "entry", "t13_pc == 0 || E_13 != 2"),
    _row("transmitter13 41 1899 836 TO TO 15 15 - - -", "is_transmit13_triggered", "exit", "E_13 != 0", safe=True),
    _row("token_ring13 41 1936 1341 TO safe 17 17 - - 0", "fire_delta_events", "exit", "E_13 != 0 && E_M != 0"),
    _row("token_ring13 41 1936 127 TO unsafe 29 29 1 2 1", "master", "exit", "!(t1_st == 0 && t13_st == 2)"),
    _row("token_ring13 41 1936 579 TO unsafe 29 29 2 8 1", "transmit13", "exit", "token != local + 13"),
    _row("token_ring13 41 1936 875 TO TO 15 15 - - -", "init_threads", "exit", "m_st == 0 && t13_st == 0", safe=True),
)  # fmt: skip


def program(row: Row, bench: Path, bounded: bool) -> str:
    """The row's program, without a first line that says the verdict. Raises UnusableInput."""
    if row.paper.app == "SimpleEx":
        return SIMPLE_EX.replace("BOUND", "11" if bounded else "1001")
    text = _original(row.paper.app, bench)
    text = _asserted(_without_assertions(text), row)
    if bounded:
        for name in BOUNDED:
            text = _rewritten(text, name, _left_after_rounds)
    return _arbitrary_globals(re.sub(r"(tmp\w* = )__VERIFIER_nondet_int\(\)", r"\g<1>1", text))


def _original(app: str, bench: Path) -> str:
    if made := re.fullmatch(r"(token_ring|transmitter)(\d+)", app):
        return {"token_ring": token_ring, "transmitter": transmitter}[made[1]](int(made[2]))
    file = bench / "systemc" / {"bist_cell": "bist_cell_safe.c", "pc_sfifo3": "pc_sfifo_1_safe.c"}[app]
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnusableInput(f"{file}: not readable: {error.strerror}: give its folder's parent as --bench") from None


def _without_assertions(text: str) -> str:
    """Calls of `error` go, its definition stays."""
    return re.sub(r"(?m)^(\s+)error\(\);", r"\1;", text)


def _rewritten(text: str, name: str, change: Callable[[str], str]) -> str:
    """The program with the text of one function's definition changed."""
    found = re.search(rf"(?ms)^\w+ {name}\(void\) *\n.*?^\}}\n\}}\n?", text)
    if found is None:
        raise UnusableInput(f"the program has no function {name}: another version of the models than was expected")
    return text[: found.start()] + change(found[0]) + text[found.end() :]


def _asserted(text: str, row: Row) -> str:
    check = f"  if (! ({row.condition})) {{\n    error();\n  }} else {{\n\n  }}\n"
    if row.place == "entry":
        return _rewritten(text, row.function, lambda body: body.replace("\n  {\n", f"\n  {{\n{check}", 1))
    last = re.compile(r"(.*)^( *return\b[^\n]*\n)", re.M | re.S)
    return _rewritten(text, row.function, lambda body: last.sub(lambda m: m[1] + check + m[2], body, count=1))


def _left_after_rounds(body: str) -> str:
    counted = body.replace("\n  {\n", "\n  {\n  int rounds = 0;\n", 1)
    leave = f"while (1) {{\n    if (rounds >= {ROUNDS}) break;\n    rounds = rounds + 1;\n"
    return re.sub(r"while \(1\) \{\n", leave, counted, count=1)


def _arbitrary_globals(text: str) -> str:
    names = re.findall(r"(?m)^int (\w+) *= *-?\d+;", text)
    text = re.sub(r"(?m)^int (\w+) *= *-?\d+;", r"int \1 ;", text)
    inputs = "".join(f"  {name} = __VERIFIER_nondet_int();\n" for name in names)
    return _rewritten(text, "main", lambda body: body.replace("\n  {\n", f"\n  {{\n{inputs}", 1))


def entry(row: Row, number: int, text: str, files: list[str]) -> dict[str, object]:
    """What `rows.json` says of the row, with places in its bounded program."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines, 1) if re.match(r"\s*if \(! ?\(", line))
    functions = len(re.findall(r"(?m)^\w+ \w+\([^;]*\) *\n\{", text))
    label = "safe" if row.safe else "unsafe"
    ours = {"functions": functions, "lines": len(lines), "assertion_at": at, "label": label}
    place = {"function": row.function, "place": row.place or "exit", "condition": row.condition or "z > 2 * (int)n"}
    return {"row": number, "paper": asdict(row.paper), "ours": ours, **place, "files": files}


def label(file: Path, safe: bool, seconds: int) -> dict[str, object]:
    """What bounded model checking to bound 10 says; `agrees` unless it refutes the label or reports no bound at all."""
    command = [sys.executable, "-m", "counterpoint", "check", "--no-cache", str(file)]
    command += ["--data-model", "ILP32", "--engine", "bmc"]
    result = file.with_suffix(".json")
    subprocess.run(
        [*command, "--bound", str(ROUNDS), "--timeout", str(seconds), "--json", str(result), "--quiet"],
        capture_output=True, check=False,
    )  # fmt: skip
    told = json.loads(result.read_text(encoding="utf-8"))
    result.unlink()
    bound = max((run["statistics"].get("bound", 0) for run in told["engines"]), default=0)
    agrees = told["outcome"] != ("FALSE" if safe else "TRUE") and (safe or told["outcome"] == "FALSE")
    return {"verdict": told["verdict"], "bound": bound, "seconds": told["seconds"], "agrees": agrees}


def write(bench: Path, out: Path, seconds: int | None) -> bool:
    """Writes everything; whether no label is contradicted."""
    out.mkdir(parents=True, exist_ok=True)
    rows, asked, agreed = [], [], True
    for number, row in enumerate(ROWS, 1):
        files = []
        for bounded in (True, False) if row.safe else (True,):
            file = out / f"{number:02}_{row.paper.app}{'' if bounded else '_unbounded'}.c"
            first = f"// {'TRUE' if row.safe else 'FALSE(unreach-call)'} model=ILP32\n"
            file.write_text(first + program(row, bench, bounded), encoding="utf-8")
            files.append(file)
            asked += questions(file)
        text = files[0].read_text(encoding="utf-8")
        rows.append(entry(row, number, text, [file.name for file in files]))
        if seconds is not None:
            labels = {file.name: label(file, row.safe, seconds) for file in files}
            rows[-1]["labels"] = labels
            agreed = agreed and all(one["agrees"] for one in labels.values())
            print(number, row.paper.app, rows[-1]["ours"], labels, flush=True)
        (out / "rows.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(write_set(asked, out))
    return agreed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--label", type=int, metavar="SECONDS")
    given = parser.parse_args()
    try:
        return 0 if write(given.bench, given.out, given.label) else 1
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
