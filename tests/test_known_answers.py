"""What is kept on disk of answers: which questions are the same, and which entries count."""

from __future__ import annotations

import os
import random
import re
from multiprocessing import get_context
from pathlib import Path

import pytest

from c_programs import program
from canonical_smtlib import canonical
from counterpoint.core.budget import Budget
from counterpoint.core.entries import Entries, NotUsable, own_secret
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import USUAL, check_proof
from counterpoint.solver.canonical import NotUnderstood, digest
from counterpoint.solver.known import ANSWERS, KnownAnswers
from counterpoint.solver.processes import Solvers
from counterpoint.term.folds import recording
from counterpoint.term.smtlib import to_smtlib

MINE, OTHERS = b"m" * 32, b"o" * 32

SCRIPT = """(set-logic QF_ABV)
(declare-const |cut.%1| (_ BitVec 32))
(declare-const |cut.%2| (_ BitVec 32))
(declare-const a (Array (_ BitVec 64) (_ BitVec 8)))
(declare-const i (_ BitVec 64))
(declare-const j (_ BitVec 64))
(define-fun t!5 () (_ BitVec 32) (bvadd |cut.%1| |cut.%2|))
(define-fun t!6 () Bool (bvslt t!5 #x0000000a))
(assert (and t!6 (not (= |cut.%1| #x00000003))))
(assert (= (select a i) (select (store a j #x07) i)))
(assert (bvult i ((_ sign_extend 32) ((_ extract 31 0) j))))
(assert (not (= i j)))
(assert (bvult |cut.%1| #x00001000))
(check-sat)
"""
SAME = (
    SCRIPT.replace("cut.%1", "f!x").replace("cut.%2", "cut.%1"),
    SCRIPT.replace("(bvadd |cut.%1| |cut.%2|)", "(bvadd |cut.%2| |cut.%1|)"),
    SCRIPT.replace("(= |cut.%1| #x00000003)", "(= #x00000003 |cut.%1|)").replace("t!5", "u!9"),
    SCRIPT.replace("(and t!6 ", "(and (bvslt t!5 #x0000000a) "),
    "; a comment\n" + SCRIPT.replace("(assert (not (= i j)))\n", "").replace("(check", "(assert (not (= j i)))\n(check"),
)
OTHER = (
    SCRIPT.replace("(bvadd |cut.%1| |cut.%2|)", "(bvadd |cut.%1| |cut.%1|)"),
    SCRIPT.replace("#x00000003", "#x00000004"),
    SCRIPT.replace("(not (= |cut.%1|", "(not (= |cut.%2|"),
    SCRIPT.replace("bvslt", "bvult"),
    SCRIPT.replace("(bvslt t!5 #x0000000a)", "(bvslt #x0000000a t!5)"),
    SCRIPT.replace("store a j", "store a i"),
    SCRIPT.replace("extract 31 0", "extract 32 1"),
    SCRIPT.replace("(assert (not (= i j)))", "(assert (= i j))"),
    SCRIPT.replace("(assert (not (= i j)))\n", ""),
    SCRIPT.replace("(declare-const i (_ BitVec 64))", "(declare-const i (_ BitVec 65))"),
)


def test_names_and_orders_do_not_matter() -> None:
    assert {digest(text) for text in SAME} == {digest(SCRIPT)}


def test_everything_else_matters() -> None:
    assert len({digest(text) for text in (SCRIPT, *OTHER)}) == len(OTHER) + 1


@pytest.mark.parametrize(
    "line",
    ["(push 1)", "(define-fun f ((x Bool)) Bool x)", "(declare-const and Bool)", "(declare-const |true| Bool)",
     "(declare-const i (_ BitVec 64))", "(assert (= i j)))", "(assert )", "(assert (= i | j))", "(define-sort S () Bool)"],
)  # fmt: skip
def test_what_is_not_written_is_not_understood(line: str) -> None:
    with pytest.raises(NotUnderstood):
        digest(SCRIPT.replace("(assert (not (= i j)))", line))


def questions() -> list[str]:
    """Those about two proofs."""
    found = []
    for text in ("int a[9]; int main() { for (int i = 0; i < 9; i++) { a[i] = i; check(a[i] >= 0 && i < 9); } return 0; }",
                 "int f(int n) { return n <= 0 ? 0 : f(n - 1) + 1; } int main() { check(f(any()) != 7); return 0; }"):  # fmt: skip
        with recording():
            asked = InductiveInvariants("flat", ()).conditions(program(text), Budget(20), apart=False).questions
        found += [to_smtlib(question.formulas(question.goals)) for question in asked]
    return found


def test_no_two_different_scripts_have_one_digest() -> None:
    """Words of real scripts are exchanged at random: where the digest stays, another canonical form stays as well."""
    chance, seen = random.Random(5), 0
    for script in questions():
        lines = script.splitlines()
        for _ in range(90):
            at = chance.choice([n for n, line in enumerate(lines) if line.startswith(("(assert", "(define"))])
            words = [one for one in re.finditer(r"[^\s()]+", lines[at]) if one.start() >= 8]
            one, other = chance.choice(words), chance.choice(words)
            changed = [*lines]
            changed[at] = lines[at][: one.start()] + other[0] + lines[at][one.end() :]
            text = "\n".join(changed) + "\n"
            try:
                same = digest(text) == digest(script)
            except NotUnderstood:
                continue
            seen += not same
            assert not same or canonical(text).digest == canonical(script).digest, (lines[at], changed[at])
    assert seen > 100


# ---------------------------------------------------------------- entries


def entries(folder: Path, secret: bytes = MINE, kind: str = "test", most: int = 1 << 16) -> Entries:
    return Entries(folder, kind, secret, most, 1 << 20, 1 << 10, fans=1)


def only(folder: Path) -> Path:
    (found,) = [path for path in folder.rglob("*") if path.is_file()]
    return found


def test_what_was_kept_is_there(tmp_path: Path) -> None:
    entries(tmp_path).put("key", b"held\n\0")
    assert entries(tmp_path).get("key") == b"held\n\0"
    assert entries(tmp_path).get("other") is None
    assert entries(tmp_path, kind="other").get("key") is None


def test_entries_of_others_do_not_count(tmp_path: Path) -> None:
    entries(tmp_path, OTHERS).put("key", b"forged")
    mine = entries(tmp_path)
    assert mine.get("key") is None and mine.ignored == 1
    mine.put("key", b"mine")
    assert mine.get("key") == b"mine"


def test_an_entry_counts_in_its_place_only(tmp_path: Path) -> None:
    kept = entries(tmp_path)
    kept.put("key", b"unsat")
    mine = only(tmp_path)
    content = mine.read_bytes()
    kept.put("other", b"held")
    (there,) = [path for path in mine.parent.iterdir() if path != mine]
    there.write_bytes(content)
    assert kept.get("other") is None and kept.ignored == 1
    kept.kind = "another"
    (tmp_path / "another").mkdir()
    kept.put("key", b"x")
    for path in (tmp_path / "another").rglob("*"):
        if path.is_file():
            path.write_bytes(content)
    assert kept.get("key") is None


def test_damaged_entries_do_not_count(tmp_path: Path) -> None:
    chance = random.Random(3)
    kept = entries(tmp_path)
    kept.put("key", b'{"answer": "unsat"}')
    path = only(tmp_path)
    content = path.read_bytes()
    for _ in range(150):
        changed = bytearray(content)
        match chance.randrange(4):
            case 0:
                del changed[chance.randrange(len(changed)) :]
            case 1:
                changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            case 2:
                changed.insert(chance.randrange(len(changed) + 1), chance.randrange(256))
            case 3:
                a = chance.randrange(len(changed))
                changed += changed[a:]
        path.write_bytes(changed)
        assert kept.get("key") is None or bytes(changed) == content
    assert kept.ignored > 120


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "unreadable", "huge"])
def test_strange_files_do_not_count(tmp_path: Path, kind: str) -> None:
    kept = entries(tmp_path)
    kept.put("key", b"held")
    path = only(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(elsewhere)
        case "unreadable":
            path.symlink_to("/dev/zero")
        case "huge":
            path.write_bytes(elsewhere.read_bytes() + bytes(1 << 22))
    assert kept.get("key") is None and kept.ignored == 1


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "test").write_text("in the way")
    kept = entries(tmp_path)
    kept.put("key", b"held")
    assert kept.failed and kept.get("key") is None
    kept.close()


def test_what_was_used_last_stays(tmp_path: Path) -> None:
    kept = entries(tmp_path, most=20)
    for number in range(20):
        kept.put(str(number), b"held")
    for number, path in enumerate(sorted(tmp_path.rglob("*"), key=str)):
        if path.is_file():
            os.utime(path, (number, number))
    assert kept.get("3") and kept.get("11")
    for number in range(20, 38):
        kept.put(str(number), b"held")
    kept.close()
    left = {number for number in range(38) if kept.get(str(number))}
    assert left == {3, 11, *range(20, 38)}


def _write(folder: Path, first: int) -> None:
    kept = entries(folder, most=1000)
    for number in range(first, first + 100):
        kept.put(str(number % 150), b"held %d" % (number % 150))
        assert kept.get(str(number % 150)) == b"held %d" % (number % 150)
    kept.close()


def test_two_processes_at_once(tmp_path: Path) -> None:
    context = get_context("fork")
    both = [context.Process(target=_write, args=(tmp_path, first)) for first in (0, 80)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    kept = entries(tmp_path)
    assert all(kept.get(str(number)) == b"held %d" % number for number in range(150)) and not kept.ignored
    assert not list(tmp_path.rglob(".new-*"))


def test_the_secret_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    secret = own_secret()
    path = tmp_path / "config" / "counterpoint" / "reuse.key"
    assert own_secret() == secret == path.read_bytes() and path.stat().st_mode & 0o777 == 0o600
    assert [path] == list(path.parent.iterdir())
    path.chmod(0o640)
    with pytest.raises(NotUsable, match="others may read"):
        own_secret()
    path.chmod(0o600)
    path.write_bytes(b"short")
    with pytest.raises(NotUsable, match="is no key"):
        own_secret()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(path))
    with pytest.raises(NotUsable, match="nothing is re-used"):
        own_secret()


# ---------------------------------------------------------------- answers and proofs

COUNTING = "int main() { int n = any(), i = 0; while (i < n) i++; check(n < 0 || i == n); return 0; }"
NOT_ENOUGH = InductiveInvariants("flat", ())


def forged(folder: Path, secret: bytes) -> KnownAnswers:
    """Says that each question about the proof that proves nothing is unsatisfiable."""
    known = KnownAnswers(Entries(folder, ANSWERS, secret, 1 << 16, 1 << 20, 1 << 12))
    with recording():
        for question in NOT_ENOUGH.conditions(program(COUNTING), Budget(20), apart=False).questions:
            script = to_smtlib(question.formulas([goal for goal in question.goals if goal.violated != 0]))
            known.learn(known.key(script), "z3")
    return KnownAnswers(Entries(folder, ANSWERS, MINE, 1 << 16, 1 << 20, 1 << 12))


def test_forged_answers_are_not_believed(tmp_path: Path) -> None:
    """With the user's own secret they would be: that is what is trusted."""
    with pytest.raises(EvidenceRejected):
        check_proof(program(COUNTING), NOT_ENOUGH, Budget(30), USUAL, forged(tmp_path / "others", OTHERS))
    known = forged(tmp_path / "mine", MINE)
    check_proof(program(COUNTING), NOT_ENOUGH, Budget(30), USUAL, known)
    assert known.found


def test_what_follows_from_cases_waits_for_simplifications(tmp_path: Path) -> None:
    """Until these are confirmed, it may be wrong of the script."""
    known = KnownAnswers(entries(tmp_path))
    with Solvers(known=known) as solvers:
        solvers.conclude(SCRIPT)
        assert not known.refutes(known.key(SCRIPT))
        solvers.settle()
    assert known.refutes(known.key(SCRIPT))


def test_answers_of_other_solvers_do_not_count(tmp_path: Path) -> None:
    known = KnownAnswers(entries(tmp_path))
    for held in (b'{"answer": "sat", "by": "z3", "of": []}', b'{"answer": "unsat", "by": "z3", "of": ["z3-solver 0"]}',
                 b'{"answer": "unsat", "by": "x", "of": []}', b"[]", b"", b"[" * 900, b'{"answer": "unsat"}'):  # fmt: skip
        known.entries.put(digest(SCRIPT), held)
        assert not known.refutes(known.key(SCRIPT)), held
    known.learn(known.key(SCRIPT), "nobody")
    assert not known.refutes(known.key(SCRIPT))
    known.learn(known.key(SCRIPT), "bitwuzla")
    assert known.refutes(known.key(SAME[0])) and not known.refutes(known.key(OTHER[0]))
