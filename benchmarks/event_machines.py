"""Machines of events, conditions and actions of any size, as in the RERS challenge.

    python benchmarks/event_machines.py --out DIR [--seed N]

A machine has states that are valuations of a few variables, in layers: a transition leads at most one layer further, so
that the last layer's distance in inputs is known. Each branch of `step` has the conditions of one to three states under
one input, and assigns what is different in the next state. Safe: the check forbids a valuation that differs from a
reached one in a single variable and is never reached. Unsafe: it forbids one state of the last layer. Which
valuations are reached is found out by going through all of them, other inputs included.

Writes `events_BRANCHES_DEPTH_safe.c` and `..._unsafe.c`, task definitions, and a set.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import deque
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tasks import written

SIZES = ((100, 5), (100, 20), (300, 20), (1000, 20))
"""Branches, and inputs to the violation."""

INPUTS = 6
MERGED = 3
"""States of one branch at most."""

HEAD = """extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
"""

State = tuple[int, ...]


@dataclass(frozen=True)
class Machine:
    """`first` is where it begins; a branch has the states it is for, an input, and the next state."""

    first: State
    branches: tuple[tuple[tuple[State, ...], int, State], ...]

    def reached(self) -> dict[State, int]:
        """All states that it reaches, with the fewest inputs to each."""
        after: dict[State, list[State]] = {}
        for states, _, target in self.branches:
            for state in states:
                after.setdefault(state, []).append(target)
        found, waiting = {self.first: 0}, deque([self.first])
        while waiting:
            state = waiting.popleft()
            for target in after.get(state, ()):
                if target not in found:
                    found[target] = found[state] + 1
                    waiting.append(target)
        return found


def machine(branches: int, depth: int, chance: random.Random) -> Machine:
    """One with that many branches, whose last layer is `depth` inputs away."""
    domains = [chance.randint(2, 6) for _ in range(8)]
    wanted = max(depth + 1, branches // 2)
    states: dict[State, None] = {}
    while len(states) < wanted:
        states[tuple(chance.randrange(size) for size in domains)] = None
    order = list(states)
    layers: list[list[State]] = [[order[0]], *([state] for state in order[1 : depth + 1])]
    for state in order[depth + 1 :]:
        layers[chance.randrange(1, depth + 1)].append(state)
    used: dict[tuple[State, int], State] = {}
    for earlier, later in pairwise(layers):  # each is reached from the layer in front of it
        for target in later:
            free = [(state, one) for state in earlier for one in range(1, INPUTS + 1) if (state, one) not in used]
            if free:
                used[chance.choice(free)] = target
    layer = {state: number for number, some in enumerate(layers) for state in some}
    found = [((state,), one, target) for (state, one), target in used.items()]
    while len(found) < branches:
        one, target = chance.randint(1, INPUTS), chance.choice(order)
        near = [s for s in order if layer[s] + 1 >= layer[target] and (s, one) not in used]
        some = tuple(chance.sample(near, min(len(near), chance.randint(1, MERGED))))
        if some:
            used |= {(state, one): target for state in some}
            found.append((some, one, target))
    chance.shuffle(found)
    return Machine(order[0], tuple(found))


def program(branches: int, depth: int, safe: bool, seed: int) -> str:
    """The program, with a first line that says its verdict."""
    chance = random.Random(f"{branches} {depth} {seed}")
    made = machine(branches, depth, chance)
    reached = made.reached()
    last = [state for state, inputs in reached.items() if inputs == depth]
    near = [
        (*state[:place], value, *state[place + 1 :])
        for state in reached for place in range(len(state)) for value in range(6)
    ]  # fmt: skip
    never = [state for state in dict.fromkeys(near) if state not in reached]
    bad = chance.choice(never if safe else last)
    base = [chance.randint(0, 20) for _ in made.first]
    lines = [f"// {'TRUE' if safe else 'FALSE(unreach-call)'} model=ILP32", HEAD]
    lines += [f"int a{n} = {base[n] + value};" for n, value in enumerate(made.first)]
    lines += ["", "int step(int input) {", f"  if ({_is(bad, base)}) reach_error();"]
    for number, (states, one, target) in enumerate(made.branches):
        condition = " || ".join(f"({_is(state, base)})" for state in states)
        lines.append(f"  {'} else ' if number else ''}if (input == {one} && ({condition})) {{")
        for n, value in enumerate(target):
            if any(state[n] != value for state in states):
                lines.append(f"    a{n} = {base[n] + value};")
        lines.append(f"    return {chance.randint(20, 26)};")
    lines += ["  }", "  return -2;", "}", "", "int main(void) {", "  while (1) {"]
    lines += ["    int input = __VERIFIER_nondet_int();", f"    if (input < 1 || input > {INPUTS}) return 0;"]
    lines += ["    step(input);", "  }", "}", ""]
    return "\n".join(lines)


def _is(state: State, base: list[int]) -> str:
    return " && ".join(f"a{n} == {base[n] + value}" for n, value in enumerate(state))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    every = [(f"events_{b:04}_{depth:02}", b, depth) for b, depth in SIZES]
    return written(
        given.out,
        (
            (f"{name}_{'safe' if safe else 'unsafe'}", program(branches, depth, safe, given.seed))
            for name, branches, depth in every
            for safe in (True, False)
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
