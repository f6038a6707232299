"""Attacks kept results: entries are damaged, exchanged, forged and of another version; the verdict stays what a check says.

`python tests/attack_results.py --mutants 500` mutates entries that only the user's own checks may write, and a tenth as
many of a folder that others write to, each with what a program that can fail would have to get from one that cannot.
Status 1 if a verdict was another one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterpoint.core.entries import Entries, own_secret
from counterpoint.portfolio import kept_results, several
from counterpoint.portfolio.kept_results import KIND, Kept
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.result_key import key_of
from counterpoint.portfolio.result_text import document_of

HEAD = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
PROGRAMS = {
    "safe.c": "int main(void) { int i = 0; while (i < 9) i++; if (i != 9) reach_error(); return 0; }",
    "unsafe.c": "int main(void) { int i = 0; while (i < 9) i++; if (i == 9) reach_error(); return 0; }",
    "input.c": "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 77) reach_error(); return 0; }",
    "bounded.c": "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 77 && x < 78) reach_error(); return 0; }",
}


@dataclass
class Store:
    """Programs with their results, as a check gives them, and the entries that were written of them."""

    folder: Path
    shared: bool
    requests: dict[str, Request]
    fresh: dict[str, CheckResult]
    keys: dict[str, str]
    held: dict[str, bytes] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        entries = Kept(self.folder / "store", self.shared).entries()
        assert entries is not None
        return entries._path(self.keys[name])

    def known(self, request: Request, show: object = None) -> CheckResult:
        """What a check says, at once."""
        return self.fresh[request.files[0].name]

    def restore(self) -> None:
        for name, content in self.held.items():
            self.path(name).write_bytes(content)


def store(folder: Path, shared: bool = False, names: Sequence[str] = tuple(PROGRAMS)) -> Store:
    """Of all programs, in this folder; the user's key is made, where there is none."""
    requests, fresh = {}, {}
    for name in names:
        (folder / name).write_text(HEAD + PROGRAMS[name])
        requests[name] = Request((folder / name,), timeout=60.0, cache=folder / "store", check_cache=shared)
        fresh[name] = kept_results.check(requests[name])
        assert fresh[name].cached is None
    keys = {name: key.text for name, one in requests.items() if (key := key_of(one, 60.0)) is not None}
    made = Store(folder, shared, requests, fresh, keys)
    made.held = {name: made.path(name).read_bytes() for name in names}
    return made


# ---------------------------------------------------------------- entries that only the user writes

Mutation = Callable[[Store, str, random.Random], bytes | None]
"""The content that the program's entry is to have; None for no file."""


def flipped(made: Store, name: str, chance: random.Random) -> bytes:
    content = bytearray(made.held[name])
    for _ in range(chance.choice((1, 1, 2, 8))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content)


def cut_off(made: Store, name: str, chance: random.Random) -> bytes:
    return made.held[name][: chance.randrange(len(made.held[name]))]


def longer(made: Store, name: str, chance: random.Random) -> bytes:
    at = chance.randrange(len(made.held[name]))
    return made.held[name][:at] + chance.randbytes(chance.randrange(1, 40)) + made.held[name][at:]


def exchanged(made: Store, name: str, chance: random.Random) -> bytes:
    """A whole entry that counts, under the key of another program."""
    return made.held[chance.choice([other for other in made.held if other != name])]


def spliced(made: Store, name: str, chance: random.Random) -> bytes:
    """The head of this one and the body of another."""
    head, body = made.held[name].partition(b"\n")[0], exchanged(made, name, chance).partition(b"\n")[2]
    return chance.choice((head + b"\n" + body, body, head + b"\n"))


def forged(made: Store, name: str, chance: random.Random) -> bytes:
    """By somebody without the key, of what this one would like to hear."""
    other = made.fresh[chance.choice([other for other in made.held if other != name])]
    return _signed(made, name, {**_document(made, name), "result": document_of(other)}, chance.randbytes(32))


def of_other_version(made: Store, name: str, chance: random.Random) -> bytes:
    """With the key, of a format that this version does not have, and fields missing, added or of other types."""
    document = _document(made, name)
    path = chance.choice(_paths(document))
    value: Any = chance.choice((None, 7, "TRUE", [], {}, [[]], {"x": 1}, -1.5, True))
    changed = _changed(document, path, value, chance.choice(("set", "remove", "add")))
    changed["format"] = chance.choice((0, 2, "1", None))
    return _signed(made, name, changed, own_secret())


OWN: tuple[Mutation, ...] = (flipped, cut_off, longer, exchanged, spliced, forged, of_other_version)


# ---------------------------------------------------------------- entries that anybody writes


def with_evidence_of_others(made: Store, name: str, chance: random.Random) -> bytes:
    other = made.fresh[chance.choice([other for other in made.held if other != name])]
    return _signed(made, name, {**_document(made, name), "result": document_of(other)}, bytes(32))


def with_other_fields(made: Store, name: str, chance: random.Random) -> bytes:
    document = _document(made, name)
    for _ in range(chance.choice((1, 1, 3))):
        path = chance.choice(_paths(document["result"]))
        value: Any = chance.choice((None, 0, 1, 77, 2**31, "TRUE", "", [], {}, [[0, 1]]))
        document["result"] = _changed(document["result"], path, value, chance.choice(("set", "set", "remove")))
    return _signed(made, name, document, bytes(32))


def with_evidence_changed(made: Store, name: str, chance: random.Random) -> bytes:
    """Within the proof or the inputs."""
    document = _document(made, name)
    part = "proof" if document["result"]["proof"] is not None else "counterexample"
    wanted = [path for path in _paths(document["result"]) if path[0] == part and len(path) > 1]
    path = chance.choice(wanted)
    value: Any = chance.choice((0, 1, 78, "flat", "modular", [], {}, "true", 2**40, -1))
    document["result"] = _changed(document["result"], path, value, "set")
    return _signed(made, name, document, bytes(32))


SHARED: tuple[Mutation, ...] = (with_evidence_of_others, with_other_fields, with_evidence_changed, flipped)


def _document(made: Store, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(zlib.decompress(made.held[name].partition(b"\n")[2]))
    return found


def _signed(made: Store, name: str, document: object, secret: bytes) -> bytes:
    held = zlib.compress(json.dumps(document).encode())
    entries = Entries(made.folder / "other", kept_results.SHARED if made.shared else KIND, secret, 9, 1 << 30, 1 << 30)
    return entries._head(made.keys[name], held) + b"\n" + held


def _paths(document: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    pairs = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for name, value in pairs:
        found += [(*before, name), *_paths(value, (*before, name))]
    return found


def _changed(document: Any, path: tuple[Any, ...], value: Any, how: str) -> Any:
    copied = json.loads(json.dumps(document))
    at = copied
    for name in path[:-1]:
        at = at[name]
    if how == "set" or isinstance(at, list):
        at[path[-1]] = value
    elif how == "remove":
        del at[path[-1]]
    else:
        at["another"] = value
    return copied


# ---------------------------------------------------------------- all of them


def attacks(made: Store, count: int, seed: int) -> Iterator[tuple[str, str, CheckResult]]:
    """What was done to which program's entry, and the result then. A folder of the user's own must not have counted."""
    chance = random.Random(seed)
    kinds = SHARED if made.shared else OWN
    for number in range(count):
        mutation, name = kinds[number % len(kinds)], chance.choice(list(made.held))
        made.restore()
        content = mutation(made, name, chance)
        if content == made.held[name]:
            continue
        made.path(name).write_bytes(content or b"")
        yield mutation.__name__, name, kept_results.check(made.requests[name])
    made.restore()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong = 0
    for shared, count in ((False, given.mutants), (True, given.mutants // 10)):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CONFIG_HOME"] = str(Path(folder) / "config")
            made = store(Path(folder), shared)
            if not shared:
                several.check = made.known
            told = believed = 0
            for what, name, result in attacks(made, count, given.seed):
                told += 1
                believed += result.cached is not None and bool(result.cached.answered)
                bad = result.verdict != made.fresh[name].verdict or (not shared and believed)
                wrong += bad
                if bad:
                    print(f"WRONG: {what} of {name}: {result.verdict}, {result.cached}")
            print(f"{'shared' if shared else 'own'}: {told} mutated entries, {believed} answered from, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
