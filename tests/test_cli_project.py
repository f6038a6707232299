"""The project's own files: contracts name every engine, sources are small, examples answer as the demo says."""

from __future__ import annotations

import configparser
import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import fresh
from counterpoint import engines
from counterpoint import property as properties
from counterpoint.evidence.certificate import kinds
from counterpoint.frontend.languages import languages
from counterpoint.portfolio.schedule import PROVERS

ROOT = Path(__file__).parent.parent


def test_the_contract_is_about_every_engine() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    contract = contracts["importlinter:contract:engines"]
    assert (contract["type"], contract["modules"].split()) == ("independence", ["counterpoint.engines.*"])


def rows(page: str) -> list[list[str]]:
    """The cells of the tables of a page."""
    lines = (ROOT / page).read_text().splitlines()
    return [line.strip("|").split("|") for line in lines if line.startswith("| ")]


def named(cell: str) -> list[str]:
    return re.findall(r"`([a-z][a-z-]*)`", cell)


def test_documents_say_of_engines_what_these_declare() -> None:
    told = [row for row in rows("docs/engines/README.md") if len(row) == 3 and {"TRUE", "FALSE"} & set(re.findall(r"\w+", row[1]))]
    assert len(told) >= 8
    for name, says, _ in told:
        assert tuple(re.findall(r"\w+", says)) == engines.get(named(name)[0]).says


def test_documents_give_the_turns_of_the_schedule() -> None:
    turn = re.compile(r"`(\w+)` ([\d.]+) s")
    told = [turn.findall(row[1]) for row in rows("docs/engines/README.md") if len(row) == 2 and row[1].count(" s") > 3]
    assert [[(name, float(seconds)) for name, seconds in row] for row in told] == [
        [(part.engine, part.seconds) for part in row] for _, _, row in PROVERS
    ]


def test_documents_name_what_there_is() -> None:
    of = {row[0].strip(): row[1] for row in rows("README.md") if len(row) == 2}
    assert set(named(of["properties"])) <= {one.name for one in properties.all_properties()}
    assert set(named(of["engines"])) <= {*engines.names(), "auto"}


def test_documents_tell_the_kinds_of_certificates() -> None:
    """What results hold of each kind: its fields, in the words of docs/json.md and of the schema."""
    told = {name: row[1] for row in rows("docs/json.md") if len(row) == 2 for name in named(row[0])}
    content = json.loads((ROOT / "docs" / "result-schema.json").read_text())["$defs"]["certificate"]["properties"]
    for kind in set(kinds().values()):
        stored = {"preparation", *kind.encodings}
        assert stored <= content.keys()
        assert "the same" in told[kind.kinds[0]] or stored <= set(re.findall(r"`(\w+)`", told[kind.kinds[0]]))


def test_certificates_are_stored_whole() -> None:
    for kind in kinds().values():
        assert is_dataclass(kind)
        assert {field.name for field in fields(kind)} == {"preparation", *kind.encodings}


def test_the_checkers_of_evidence_stay_small() -> None:
    files = (ROOT / "src" / "counterpoint" / "evidence").rglob("*.py")
    assert sum(len(file.read_text().splitlines()) for file in files) < 2160


def test_kinds_of_checks_and_languages_are_told_apart() -> None:
    kinds = [kind for one in properties.all_properties() for kind in one.checks]
    assert len({kind.name for kind in kinds}) == len({kind.shown for kind in kinds}) == len(kinds)
    for one in properties.all_properties():
        assert {kind for _, kind in one.specification} <= set(one.kinds)
        assert {trap.kind for trap in one.traps} <= set(one.kinds)
    assert [language.suffix for language in languages()] == [".bgd", ".sc"]


def test_every_package_has_a_layer() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    listed = set(contracts["importlinter:contract:layers"]["layers"].replace(":", " ").split())
    packages = {path.parent.name for path in (ROOT / "src" / "counterpoint").glob("*/__init__.py")}
    assert packages <= {name.strip("()") for name in listed}


@pytest.mark.parametrize(("name", "verdict"), [("ring_buffer", "TRUE"), ("median", "FALSE(unreach-call)"), ("fill", "TRUE")])
def test_examples(name: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = fresh.check(ROOT / "examples" / f"{name}.c", timeout=60.0)
    assert result.verdict == verdict, result.detail
