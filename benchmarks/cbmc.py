"""Asks CBMC about `unreach-call` of a task, as its scripts for SV-COMP do: larger and larger bounds, TRUE only where no
loop goes on beyond one.

    counterpoint bench SET --tool 'python benchmarks/cbmc.py {file} {data_model}' --timeout 20

Needs cbmc, goto-cc and goto-instrument (Debian: `cbmc`), in `--bin` or on the path. A call of `reach_error` is the
error, whatever its body. Prints a verdict as its last line.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

BOUNDS = (2, 6, 12, 17, 21, 40, 200, 400, 1025, 2049, 5000, 20_000, 200_000)
MEANINGS = ("-D__VERIFIER_assume=__CPROVER_assume", "-D__VERIFIER_error=reach_error")
FAILING = ("--remove-function-body", "reach_error", "--generate-function-body", "reach_error")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("data_model", choices=("ILP32", "LP64"))
    parser.add_argument("--bin", default="")
    asked = parser.parse_args()
    tools = {name: str(Path(asked.bin, name)) if asked.bin else name for name in ("cbmc", "goto-cc", "goto-instrument")}
    with tempfile.TemporaryDirectory() as folder:
        said = verdict(asked.file, asked.data_model, tools, Path(folder))
    sys.stdout.write(f"VERDICT: {said}\n")
    return 0


def verdict(file: Path, data_model: str, tools: dict[str, str], folder: Path) -> str:
    """TRUE, FALSE(unreach-call) or UNKNOWN(why)."""
    plain, failing = folder / "plain.gb", folder / "failing.gb"
    model = "-m32" if data_model == "ILP32" else "-m64"
    compiled = _ran(tools["goto-cc"], model, *MEANINGS, "-o", str(plain), str(file))
    if compiled.returncode != 0:
        return "UNKNOWN(not compiled)"
    options = ("--generate-function-body-options", "assert-false-assume-false")
    changed = _ran(tools["goto-instrument"], *FAILING, *options, str(plain), str(failing))
    if changed.returncode != 0:
        return "UNKNOWN(not instrumented)"
    for bound in BOUNDS:
        once = ("--no-standard-checks", "--no-malloc-may-fail", "--unwind", str(bound), str(failing))
        found = _ran(tools["cbmc"], *once, "--no-unwinding-assertions", "--no-self-loops-to-assumptions")
        if found.returncode == 10:
            return "FALSE(unreach-call)"
        if found.returncode != 0:
            return "UNKNOWN(cbmc ended otherwise)"
        if _ran(tools["cbmc"], *once, "--unwinding-assertions", "--no-self-loops-to-assumptions").returncode == 0:
            return "TRUE"
    return "UNKNOWN(all bounds)"


def _ran(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


if __name__ == "__main__":
    sys.exit(main())
