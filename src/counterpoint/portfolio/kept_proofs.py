"""Proofs of earlier checks, as candidates for this one, and what they say of single functions.

A proof is kept under what the program means, as it was prepared: a program that says the same is the same. The names of
its files lead to it as well, for what these were edited into; and each function's own text to the facts about it, for
other programs with the same function. Whatever is found is carried over (portfolio/carrying.py), and then checked.
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import CounterpointError
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.places import chosen
from counterpoint.evidence.verdict import Reason, Safe
from counterpoint.execute.subject import Subject
from counterpoint.portfolio import shapes
from counterpoint.portfolio.carrying import Carrier, understood
from counterpoint.portfolio.composition import Composed
from counterpoint.portfolio.crash import write_crash_report
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, EngineRun, Outcome, Proof
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.portfolio.reuse import Reuse
from counterpoint.portfolio.settling import judged
from counterpoint.portfolio.shapes import Shape, shape_of
from counterpoint.portfolio.validation import Accepted, Refuted, answered
from counterpoint.program.model import Program
from counterpoint.program.render import fingerprint, render_function
from counterpoint.semantics.encodings import FACTS, GRANULES
from counterpoint.semantics.facts import Fact
from counterpoint.static.points_to import points_to

ENGINE = "reuse"
"""Whose answer it is."""

SAME, EDITED = 0.6, 0.25
"""Of the time left, for a proof of this very program, and for each other candidate."""

LEAST_LEFT = 0.5
"""Seconds of the check without which nothing is kept; and one more for so many instructions:"""

PER_SECOND = 5_000
"""Far fewer than are looked at in a second."""

MOST_TEXT = 64 << 20
"""Characters of an entry."""

UNUSABLE = (CounterpointError, ValueError, TypeError, LookupError, RecursionError)
"""What comes of entries of another version of the product, and of proofs that do not fit a program: no candidate."""

_NUMBER = regex(r"\b(site|number) -?\d+|;[^\n]*")


@dataclass(frozen=True, slots=True)
class Kept:
    """A proof that some engine found, of programs of these shapes, by preparation."""

    proof: Safe | Composed
    engine: str
    shapes: dict[str, Shape]


@dataclass(slots=True)
class Candidates:
    """Looks for proofs of one task; `preparation` is the one that engines usually work on."""

    reuse: Reuse
    subject: Subject
    request: Request
    preparation: str
    base: CheckResult

    def accepted(self, budget: Budget) -> CheckResult | None:
        """The answer by a proof of earlier checks, if one is accepted for this program. If none is, its facts are
        candidates."""
        began = time.monotonic()
        seed = self.request.seed if self.request.proof_runs else None
        for proof, whose, share in self._found():
            limit = Budget(share * budget.remaining())
            judgement = judged(proof, self.subject, limit, seed, self.request.memory + (2 << 30), self.reuse)
            said, seconds = f"the proof of an earlier check: {whose}", round(time.monotonic() - began, 3)
            match judgement:
                case Accepted(Proof()):
                    self.reuse.proof = whose
                    self.reuse.functions = frozenset(fact.function for fact in _facts(proof))
                    run = EngineRun(ENGINE, "TRUE", said, seconds)
                    return answered(replace(self.base, engine=ENGINE, engines=(run,)), judgement)
                case Refuted(detail):
                    report = write_crash_report("runs contradict a proof that was re-used", f"{detail}\n\n{proof!r}")
                    unknown = replace(self.base, reason=Reason.EVIDENCE_REJECTED, detail=detail)
                    run = EngineRun(ENGINE, f"UNKNOWN({Reason.EVIDENCE_REJECTED})", said, seconds)
                    return replace(unknown, engines=(run,), crash_reports=(report,))
            self._tell(proof)
        return None

    def keep(self, result: CheckResult, budget: Budget) -> None:
        """Keeps the proof of a result TRUE for later checks, if there is time for that."""
        if result.outcome is not Outcome.TRUE or result.proof is None:
            return
        functions = self.subject.program(self.preparation).functions.values()
        size = sum(len(block.instructions) for function in functions for block in function.blocks)
        if budget.remaining() < LEAST_LEFT + size / PER_SECOND:
            return
        where = _of_program(self.subject, self.preparation)
        if result.engine != ENGINE or self.reuse.proofs.get(where) is None:
            self._put(where, self._kept(result))
            self._keep_functions(result.proof)
        self._put(_of_files(self.base), {"see": where})

    # ---------------------------------------------------------------- what there is

    def _found(self) -> Iterator[tuple[Safe | Composed, str, float]]:
        """Candidates, those for this very program first; whose they are, in words, and their share of the time."""
        here = _of_program(self.subject, self.preparation)
        for key in dict.fromkeys((here, *self._links())):
            kept = _read(self._get(key))
            if kept is None:
                continue
            with suppress(*UNUSABLE):
                proof, changed = self._carried(kept)
                edited = f", carried over {changed} edited function{'s' * (changed != 1)}" if changed else ""
                if proof is not None:
                    yield proof, f"{kept.engine}{edited}", SAME if key == here else EDITED
        for preparation in dict.fromkeys((self.preparation, "modular")):
            with suppress(*UNUSABLE):
                if (made := self._of_functions(preparation)) is not None:
                    yield Safe(made), "facts about functions", EDITED

    def _links(self) -> Iterator[str]:
        """To what the files were before."""
        with suppress(*UNUSABLE):
            if (found := self._get(_of_files(self.base))) is not None:
                yield found.at("see").text()

    def _carried(self, kept: Kept) -> tuple[Safe | Composed | None, int]:
        """The proof, of the program as it is now, and how many of its functions were edited."""
        carriers: dict[tuple[str, tuple[str, ...]], Carrier] = {}
        parts = ((frozenset[int](), kept.proof.certificate),) if isinstance(kept.proof, Safe) else kept.proof.parts
        carried: list[tuple[frozenset[int], Certificate]] = []
        for checks, certificate in parts:
            name, contracts = certificate.preparation, _contracts(certificate)
            if (name, contracts) not in carriers:
                program = self.subject.program(name)
                here = chosen(program, (one for one in contracts if one in program.functions))
                carriers[name, contracts] = Carrier(kept.shapes[name], here)
            made = carriers[name, contracts].certificate(certificate)
            if made is None:
                return None, 0
            carried.append((checks, made))
        changed = max(len(carrier.changed) for carrier in carriers.values())
        return (Safe(carried[0][1]) if isinstance(kept.proof, Safe) else Composed(tuple(carried))), changed

    def _tell(self, proof: Safe | Composed) -> None:
        """What it says is a candidate for engines."""
        certificates = (proof.certificate,) if isinstance(proof, Safe) else [one for _, one in proof.parts]
        for certificate in certificates:
            if not certificate.alternatives and certificate.said():
                known = self.reuse.candidates.setdefault(certificate.preparation, [])
                known += [fact for fact in certificate.said() if fact not in known]

    # ---------------------------------------------------------------- functions

    def _of_functions(self, preparation: str) -> InductiveInvariants | None:
        """Facts about functions that were seen in other programs, as a proof of this one."""
        program = self.subject.program(preparation)
        facts: list[Fact] = []
        contracts: list[str] = []
        granules: dict[str, int] = {}
        for name in program.functions:
            given = self._get(_of_function(program, preparation, name))
            if given is None:
                continue
            with suppress(*UNUSABLE):
                carrier = Carrier(shapes.read(given.at("shape")), program)
                facts += carrier.facts(FACTS.read(given, "facts"))
                granules |= dict(carrier.granules(GRANULES.read(given, "granules")))
                contracts += [name] * given.at("contract").truth()
        sizes = tuple(sorted(granules.items()))
        known = tuple(understood(chosen(program, contracts), facts, sizes)) if facts else ()
        return InductiveInvariants(preparation, known, sizes, tuple(contracts)) if known else None

    def _keep_functions(self, proof: Proof) -> None:
        """What the proof says of each function that is called by contract, by the function's text."""
        read = stored_proof(Given({"proof": {"kind": proof.kind, "content": proof.content}}, "a proof:"))
        certificates = (read.certificate,) if isinstance(read, Safe) else [one for _, one in read.parts]
        for certificate in certificates:
            if certificate.alternatives or not certificate.said():
                continue
            program = self.subject.program(certificate.preparation)
            shape = shape_of(points_to(program))
            granules: tuple[tuple[str, int], ...] = getattr(certificate, "granules", ())
            for name in dict.fromkeys(fact.function for fact in certificate.said()):
                own = tuple(fact for fact in certificate.said() if fact.function == name)
                part = {name: shape.functions[name]}
                things = {number: thing for number, thing in shape.things.items() if thing.function == name}
                document = {
                    "facts": FACTS.written(own),
                    "granules": GRANULES.written(granules),
                    "contract": name in _contracts(certificate),
                    "shape": shapes.written(Shape(part, things)),
                }
                self._put(_of_function(program, certificate.preparation, name), document)

    # ---------------------------------------------------------------- entries

    def _kept(self, result: CheckResult) -> object:
        assert result.proof is not None
        content = result.proof.content
        named = [content.get("preparation"), *(_preparation(part) for part in _listed(content.get("parts")))]
        programs = {str(name): self.subject.program(str(name)) for name in dict.fromkeys(named) if name}
        return {
            "engine": self.reuse.proof.partition(",")[0] if result.engine == ENGINE else result.engine,
            "proof": {"kind": result.proof.kind, "content": content},
            "shapes": {name: shapes.written(shape_of(points_to(made))) for name, made in programs.items()},
        }

    def _put(self, key: str, document: object) -> None:
        text = json.dumps(document)
        if len(text) <= MOST_TEXT:
            self.reuse.proofs.put(key, zlib.compress(text.encode(), 3))

    def _get(self, key: str) -> Given | None:
        held = self.reuse.proofs.get(key)
        if held is None:
            return None
        with suppress(ValueError, zlib.error, RecursionError):
            return Given(json.loads(zlib.decompressobj().decompress(held, MOST_TEXT)), "what is kept:")
        return None


def _read(given: Given | None) -> Kept | None:
    """None for what this version does not write."""
    if given is None:
        return None
    with suppress(*UNUSABLE):
        before = {name: shapes.read(Given(shape, name)) for name, shape in given.at("shapes").object().items()}
        return Kept(stored_proof(given), given.at("engine").text(), before)
    return None


def _of_program(subject: Subject, preparation: str) -> str:
    return f"program {preparation} {fingerprint(subject.program(preparation))}"


def _of_files(base: CheckResult) -> str:
    """What the user would call the same task, whatever is in its files."""
    files = [str(Path(file).absolute()) for file in base.files]
    asked = [files, base.property, base.entry, base.data_model, {k: str(v) for k, v in base.compilation.items()}]
    return f"files {hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()}"


def _of_function(program: Program, preparation: str, name: str) -> str:
    text = _NUMBER.sub(r"\1", render_function(program.functions[name]))
    layout = f"{program.layout.pointer_bits} {program.layout.big_endian} {name == program.entry}"
    return f"function {preparation} {layout} {hashlib.sha256(text.encode()).hexdigest()}"


def _preparation(part: object) -> object:
    content = part.get("content") if isinstance(part, dict) else None
    return content.get("preparation") if isinstance(content, dict) else None


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _contracts(certificate: Certificate) -> tuple[str, ...]:
    """The functions that it chose to go by contract."""
    found: tuple[str, ...] = getattr(certificate, "contracts", ())
    return found


def _facts(proof: Safe | Composed) -> Iterator[Fact]:
    certificates = (proof.certificate,) if isinstance(proof, Safe) else [one for _, one in proof.parts]
    for certificate in certificates:
        yield from certificate.said()
