"""Random functions over numbers and arrays, whose contracts by `infer --any-caller` are evaluated on calls of gcc's build.

What is proved must hold of every call that keeps `requires`.

    python tests/fuzz_contracts.py --programs 20 [--seed N] [--seconds 50] [--out build/fuzz-contracts]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acsl_values import WIDTHS, Reader, State, Unknown, Value, number

CALLS = 3000
CTYPES = {(8, True): ctypes.c_int8, (8, False): ctypes.c_uint8, (16, True): ctypes.c_int16, (16, False): ctypes.c_uint16,
          (32, True): ctypes.c_int32, (32, False): ctypes.c_uint32, (64, True): ctypes.c_int64, (64, False): ctypes.c_uint64}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """`parameters`: types and names; a type with a star is an array of n elements."""

    name: str
    result: str
    parameters: tuple[tuple[str, str], ...]
    body: str

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(f'{type_} {name}' for type_, name in self.parameters)}) {{ {self.body} }}"


class Writer:
    """Writes functions."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def expression(self, names: list[str], depth: int = 2) -> str:
        chance = self.chance
        kind = chance.randrange(11) if depth else 0
        if kind < 3:
            return chance.choice(names) if chance.random() < 0.8 else chance.choice(("0", "1", "-1", "2", "7", "100", "255"))
        one, two = self.expression(names, depth - 1), self.expression(names, depth - 1)
        if kind < 7:
            return f"({one} {chance.choice('+-*&|^')} {two})"
        if kind == 7:
            return f"({one} {chance.choice('/%')} {chance.choice('23')})"
        if kind == 8:
            return f"({one} {chance.choice(('<<', '>>'))} {chance.choice('13')})"
        if kind == 9:
            return f"({chance.choice(('signed char', 'unsigned char', 'short', 'unsigned', 'long'))}){one}"
        return f"({self.condition(names)} ? {one} : {two})"

    def condition(self, names: list[str]) -> str:
        return f"{self.expression(names, 1)} {self.chance.choice(('<', '<=', '==', '!=', '>'))} {self.expression(names, 1)}"

    def scalar(self, name: str) -> Function:
        chance = self.chance
        kinds = ("int", "int", "int", "unsigned", "signed char", "unsigned char", "short", "long", "unsigned long")
        parameters = tuple((chance.choice(kinds), f"x{i}") for i in range(chance.choice((1, 2, 2, 3))))
        names = [*(name for _, name in parameters), "g", "u"]
        steps = []
        for _ in range(chance.randrange(1, 4)):
            step = f"{chance.choice(('g', 'u', 'x0'))} = {self.expression(names)};"
            returned = f"if ({self.condition(names)}) return {self.expression(names)};"
            steps.append(chance.choice((step, step, f"if ({self.condition(names)}) {step}", returned)))
        result = chance.choice(("int", "unsigned", "unsigned char", "long", "short"))
        return Function(name, result, parameters, f"{' '.join(steps)} return {self.expression(names)};")

    def array(self, name: str) -> Function:
        chance = self.chance
        type_ = chance.choice(("int", "int", "unsigned char", "signed char", "unsigned", "short", "long", "unsigned short"))
        size = chance.choice(("int", "int", "unsigned", "unsigned char", "unsigned long"))
        result = chance.choice((type_, "int", type_, "unsigned", "signed char", "unsigned char"))
        if chance.random() < 0.15:
            size, order = "int", chance.choice((">", ">=", "<"))
            body = (
                f"if (n <= 0) return 0; for (int j = 1; j < n; j++) {{ {type_} t = a[j]; int i = j; "
                f"while (i > 0 && a[i - 1] {order} t) {{ a[i] = a[i - 1]; i--; }} a[i] = t; }} return n;"
            )
        else:
            body = self.loop(type_, size, result)
        parameters = [(f"{type_} *", "a"), (size, "n"), (chance.choice((type_, "int")), "x")]
        if chance.random() < 0.2:
            parameters.insert(0, parameters.pop(1))
        return Function(name, result, tuple(parameters), body)

    def loop(self, type_: str, size: str, result: str) -> str:
        choice = self.chance.choice
        test = choice(
            ("a[i] == x", "a[i] > m", "a[i] >= m", "a[i] < m", "a[i] != x", "a[i] > x", "i && a[i - 1] > a[i]", "i && a[i] <= a[i - 1]")
        )
        swapped = f"{{ {type_} t = a[i]; a[i] = a[0]; a[0] = t; }}"
        acts = ("m = a[i];", "return i;", "return 0;", "m++;", "m = i;", "a[i] = x;", "return a[i];", "a[i] = m;", "break;", swapped)
        start, end = choice("001"), choice(("n", "n", "n - 1" if size == "int" else "n"))
        head = f"for ({choice((size, 'int')) if size == 'int' else size} i = {start}; i < {end}; i++)"
        before = f"if (n < 1) return {choice(('0', '-1', 'x'))}; {choice((result, type_, 'int'))} m = {choice(('0', '-1', 'a[0]', 'x', 'n'))};"
        return f"{before} {head} if ({test}) {choice(acts)} return {choice(('m', 'm', '1', '0', '-1', 'x', 'n', 'm == 0', 'a[0]'))};"


def drawn(chance: random.Random, type_: str, few: bool = False) -> int:
    width, signed = WIDTHS[type_]
    corners = (0, 1, 2, 3, -1, -2, 1 << (width - 1), (1 << (width - 1)) - 1, chance.randrange(5), chance.randrange(1 << width))
    return number(chance.randrange(3) if few else chance.choice(corners), width, signed)


class Calls:
    """Random calls of one function of a library, with the globals g and u."""

    def __init__(self, library: ctypes.CDLL, function: Function, chance: random.Random) -> None:
        self.function, self.chance = function, chance
        self.called = getattr(library, function.name)
        self.called.restype = CTYPES[WIDTHS[function.result]]
        self.statics = {"g": ctypes.c_int32.in_dll(library, "g"), "u": ctypes.c_uint8.in_dll(library, "u")}

    def arguments(self) -> dict[str, Any]:
        chance, found = self.chance, dict[str, Any]()
        size, few = chance.choice((0, 1, 1, 2, 2, 3, 4, 5)), chance.random() < 0.5
        for type_, name in self.function.parameters:
            if type_.endswith("*"):
                found[name] = [drawn(chance, type_.rstrip(" *"), few) for _ in range(size)]
                if chance.random() < 0.3:
                    found[name].sort()
            else:
                found[name] = size if name == "n" else drawn(chance, type_, few)
        return found

    def one(self, requires: list[Value]) -> State | None:
        """None where the caller does not keep them."""
        self.statics["g"].value, self.statics["u"].value = drawn(self.chance, "int"), drawn(self.chance, "unsigned char")
        given = self.arguments()
        old = given | {name: variable.value for name, variable in self.statics.items()}
        if not all(condition(State(old, old)) for condition in requires):
            return None
        handed, arrays = [], {}
        for type_, name in self.function.parameters:
            kind = CTYPES[WIDTHS[type_.rstrip(" *")]]
            if type_.endswith("*"):
                arrays[name] = (kind * (len(given[name]) + 1))(*given[name])
            handed.append(arrays[name] if name in arrays else kind(given[name]))
        result = self.called(*handed)
        new = given | {name: list(array)[:-1] for name, array in arrays.items()}
        return State(old, new | {name: variable.value for name, variable in self.statics.items()} | {"\\result": result})


def understood(clauses: list[dict[str, Any]], names: list[str]) -> list[tuple[str, Value]]:
    found = []
    for clause in clauses:
        with suppress(Unknown):
            found.append((clause["text"], Reader(clause["text"], names).whole()))
    return found


def contradicted(contract: dict[str, Any], calls: Calls, count: int = CALLS) -> str:
    """What is proved and does not hold of a call; "" where there is none."""
    names = [name for _, name in calls.function.parameters]
    requires = [condition for _, condition in understood(contract["requires"], names)]
    ensures = understood([one for one in contract["ensures"] if one["status"] == "proved" and one["exact"]], names)
    assigns = contract["assigns"] if contract["assigns_status"] == "proved" else None
    for _ in range(count):
        state = calls.one(requires)
        if state is None:
            continue
        for text, condition in ensures:
            with suppress(Unknown, IndexError):
                if not condition(state):
                    return f"{text}: {state.old} -> {state.new}"
        for name in state.old:
            if assigns is not None and state.old[name] != state.new[name] and not any(name in place for place in assigns):
                return f"assigns {assigns}: {state.old} -> {state.new}"
    return ""


def program_of(seed: int) -> list[Function]:
    chance = random.Random(seed)
    writer = Writer(chance)
    if chance.random() < 0.4:
        return [writer.scalar(f"f{i}") for i in range(5)]
    return [writer.array(f"f{i}") for i in range(2)]


def built(functions: list[Function], file: Path) -> ctypes.CDLL:
    file.write_text("\n".join(["int g; unsigned char u;", *map(str, functions), ""]))
    library = file.with_suffix(".so").resolve()
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-O0", "-fwrapv", "-o", str(library), str(file)], check=True, timeout=60)
    return ctypes.CDLL(str(library))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=50.0)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz-contracts"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    bad, said = 0, Counter[str]()
    for seed in range(asked.seed, asked.seed + asked.programs):
        file, functions = asked.out / f"{seed}.c", {one.name: one for one in program_of(seed)}
        library = built(list(functions.values()), file)
        command = [sys.executable, "-m", "counterpoint", "infer", str(file), "--any-caller", "--as", "json"]
        done = subprocess.run([*command, "--timeout", str(asked.seconds)], capture_output=True, text=True, check=False)
        wrong = [f"status {done.returncode}"] * (done.returncode != 0)
        for contract in json.loads(done.stdout)["functions"] if done.returncode in (0, 4) else ():
            said.update(clause["status"] for clause in contract["ensures"])
            why = contradicted(contract, Calls(library, functions[contract["name"]], random.Random(seed)))
            wrong += [f"{contract['name']}: {why}"] * bool(why)
        bad += bool(wrong)
        sys.stdout.write(f"{seed} {dict(said)} {'; '.join(wrong) or 'fine'}\n")
        sys.stdout.flush()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
