"""Task definitions and a set for `counterpoint bench`, from programs whose first lines say the answers.

`python benchmarks/tasks.py FILE|DIR... --out DIR` writes one task definition (SV-COMP format 2.0) for each line
`// TRUE` or `// FALSE(property)` at the top of a C file (tests/test_regression.py: property=NAME, model=ILP32), and
`DIR/NAME.set` with all of them, where NAME is DIR's. Lines with `define=` are left out, as definitions cannot say it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterpoint import property as properties
from counterpoint.core.errors import UnusableInput

_LINE = re.compile(r"// (TRUE|FALSE\(([\w-]+)\))((?: [\w-]+=\S+)*)$")


@dataclass(frozen=True, slots=True)
class Question:
    """What one line says of a program. `asks` is the property; `subproperty` is "" where the verdict is TRUE or the
    property has one part.
    """

    file: Path
    verdict: bool
    asks: str = "unreach-call"
    subproperty: str = ""
    data_model: str = "LP64"

    @property
    def definition(self) -> str:
        """The task definition's name."""
        parts = [self.file.stem] + ([] if self.asks == "unreach-call" else [self.asks])
        return "-".join(parts + ([] if self.data_model == "LP64" else [self.data_model])) + ".yml"


def questions(file: Path) -> list[Question]:
    """The questions of a C file's first lines. Raises UnusableInput if it cannot be read or says none."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableInput(f"{file}: not readable as text: {error}") from None
    found, said = [], False
    for line in lines:
        match = _LINE.match(line)
        if match is None:
            break
        said = True
        options = dict(word.split("=", 1) for word in match[3].split())
        if "define" in options:
            continue
        asked = properties.named(options.get("property", "unreach-call")).name
        sub = match[2] if match[2] and match[2] != asked else ""
        found.append(Question(file, match[1] == "TRUE", asked, sub, options.get("model", "LP64").split(",")[0]))
    if not said:
        raise UnusableInput(f"{file}: its first line says no verdict: expected `// TRUE` or `// FALSE(property)`")
    return found


def write_set(asked: Iterable[Question], folder: Path) -> Path:
    """Writes the definitions, the property files that they name, and the set; gives the set's path."""
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for one in asked:
        specification = properties.named(one.asks).specification
        text = "".join(f"CHECK( {formula} )\n" for formula, _ in specification)
        (folder / f"{one.asks}.prp").write_text(text, encoding="utf-8")
        (folder / one.definition).write_text(_definition(one, folder), encoding="utf-8")
        names.append(one.definition)
    if doubled := {name for name in names if names.count(name) > 1}:
        raise UnusableInput(f"{folder}: two questions would be {sorted(doubled)[0]}: give the files different names")
    result = folder / f"{folder.resolve().name}.set"
    result.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return result


def written(folder: Path, programs: Iterable[tuple[str, str]]) -> int:
    """A generator's work: writes the programs (name without .c, text), their definitions and the set, whose place it
    prints. Exit status: 2, with a message, where a folder or file is none to write."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        asked = []
        for name, text in programs:
            file = folder / f"{name}.c"
            file.write_text(text, encoding="utf-8")
            asked += questions(file)
        print(write_set(asked, folder))
    except (UnusableInput, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _definition(one: Question, folder: Path) -> str:
    source = os.path.relpath(one.file.resolve(), folder.resolve())
    sub = [f"    subproperty: {one.subproperty}"] if one.subproperty else []
    lines = [
        "format_version: '2.0'",
        f"input_files: '{source}'",
        "properties:",
        f"  - property_file: {one.asks}.prp",
        f"    expected_verdict: {str(one.verdict).lower()}",
        *sub,
        "options:",
        "  language: C",
        f"  data_model: {one.data_model}",
    ]
    return "\n".join(lines) + "\n"


def files_in(paths: Sequence[Path]) -> list[Path]:
    """The C files that the paths name: themselves, or what their folders contain."""
    found = [file for path in paths for file in (sorted(path.rglob("*.c")) if path.is_dir() else [path])]
    if not found:
        raise UnusableInput(f"{', '.join(map(str, paths))}: no C file there")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    given = parser.parse_args()
    try:
        print(write_set([one for file in files_in(given.paths) for one in questions(file)], given.out))
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
