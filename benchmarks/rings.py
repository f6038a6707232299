"""Token rings of any size whose check is in the scheduler: `python benchmarks/rings.py --out DIR [--stations 2,5,...]`.

Writes for each number of stations `ring_NN_safe.c` and `ring_NN_unsafe.c`, task definitions and the set `DIR/DIR.set`.
Safe: in `start_simulation`, behind the evaluation phase, no thread is left runnable, of which every station is a part.
Unsafe: in `activate_threads` the token has not been round the ring, which it has once the master has started behind all
stations. No loop is bounded.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kratos import token_ring
from tasks import written

STATIONS = (2, 5, 10, 20, 30, 40, 50, 60)
_PLACES = {True: ("start_simulation", "eval();\n"), False: ("activate_threads", "return;\n")}
"""The function, and the line that the check stands behind, or in front of."""


def ring(stations: int, safe: bool) -> str:
    """The program, with a first line that says its verdict."""
    threads = ["m", *(f"t{i}" for i in range(1, stations + 1))]
    condition = " && ".join(f"{t}_st != 0" for t in threads) if safe else f"token != local + {stations}"
    check = f"if (! ({condition})) {{\n      error();\n    }} else {{\n    }}\n"
    function, line = _PLACES[safe]
    begin, name, rest = token_ring(stations, checked=False).partition(f"void {function}(void)\n")
    inside = rest.replace(line, line + check if safe else check + line, 1)
    return f"// {'TRUE' if safe else 'FALSE(unreach-call)'} model=ILP32\n" + begin + name + inside


def sizes(text: str) -> tuple[int, ...]:
    """Numbers of stations, as the option gives them."""
    if not all(word.isdecimal() and 1 <= int(word) <= 999 for word in text.split(",")):
        raise argparse.ArgumentTypeError(f"{text!r}: expected numbers of stations from 1 to 999, as in 2,5,10")
    return tuple(int(word) for word in text.split(","))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--stations", type=sizes, default=STATIONS, metavar="N,N,...")
    given = parser.parse_args()
    every = [(stations, safe) for stations in given.stations for safe in (True, False)]
    return written(
        given.out, ((f"ring_{n:02}_{'safe' if safe else 'unsafe'}", ring(n, safe)) for n, safe in every)
    )


if __name__ == "__main__":
    sys.exit(main())
