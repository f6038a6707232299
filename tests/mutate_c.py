"""Random edits of C programs, and what they do to checks that re-use what earlier ones left.

`python tests/mutate_c.py [--edits N] [--seed N] [--timeout S] FILE...` edits each file so often: the verdicts with a
store that has seen the file and all of its edits so far have to be those with none. Exit status 1 if one differs.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from pathlib import Path

OPERATORS = (("<", "<=", ">", ">="), ("==", "!="), ("+", "-"), ("++", "--"), ("&&", "||"), ("+=", "-="))

_TOKEN = re.compile(r"\+\+|--|<=|>=|==|!=|&&|\|\||\+=|-=|<<|>>|->|[<>+-]|\b\d+\b")
_STATEMENTS = re.compile(r"(?<=[;{}])(\s*[A-Za-z_][^;{}()]*;)(\s*[A-Za-z_][^;{}()]*;)")


def mutated(text: str, chance: random.Random) -> str:
    """The text with one constant or operator changed, or two statements swapped, below its preamble."""
    start = text.find("{")
    head, body = text[:start], text[start:]
    pairs = list(_STATEMENTS.finditer(body))
    if pairs and chance.random() < 0.25:
        found = chance.choice(pairs)
        return head + body[: found.start()] + found[2] + found[1] + body[found.end() :]
    tokens = [one for one in _TOKEN.finditer(body) if _others(one[0])]
    if not tokens:
        return text
    found = chance.choice(tokens)
    return head + body[: found.start()] + chance.choice(_others(found[0])) + body[found.end() :]


def _others(token: str) -> list[str]:
    if token.isdigit():
        value = int(token) if token == "0" or not token.startswith("0") else 0
        return [str(other) for other in {value + 1, max(0, value - 1), 2 * value} if str(other) != token]
    return [other for group in OPERATORS if token in group for other in group if other != token]


def main() -> int:
    """Prints a line for each edit."""
    from counterpoint.portfolio.request import Request
    from counterpoint.portfolio.run import run

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=10.0)
    given = parser.parse_args()
    chance, wrong = random.Random(given.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        for file in given.files:
            edited, text = Path(folder) / file.name, file.read_text()
            for number in range(given.edits + 1):
                edited.write_text(mutated(text, chance) if number else text)
                request = Request((edited,), timeout=given.timeout, property=None)
                having = run(Request(**{**_fields(request), "reuse": Path(folder) / "store"}))
                without = run(request)
                same = having.verdict == without.verdict
                open_ = "UNKNOWN" in having.verdict + without.verdict
                wrong += not same and not open_
                had = having.reused.sentences()[0] if having.reused else ""
                mark = "" if same else "  ~ limits" if open_ else "  WRONG"
                print(f"{file.name} {number}: {having.verdict} {without.verdict} {having.engine}; {had}{mark}", flush=True)
                if not same:
                    print(edited.read_text())
    print(f"{wrong} differ")
    return 1 if wrong else 0


def _fields(request: object) -> dict[str, object]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
