"""Reads witnesses: YAML 2.0 and 2.1, and violations in GraphML 1.0. A witness is data: what does not fit is refused
with one line, and nothing in it is believed.

The formats' own schemas say the same; what they leave open is read as their texts mean it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from counterpoint.core.documents import Given, read_text, read_yaml
from counterpoint.core.errors import UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.witness.document import (
    ACSL,
    ASSUMPTION,
    AVOID,
    BRANCHING,
    CONTRACT,
    EXTENDED,
    FOLLOW,
    GRAPHML,
    LOCATION,
    LOOP,
    RETURN,
    TARGET,
    TYPES,
    VERSIONS,
    C,
    Contract,
    Correctness,
    Invariant,
    Location,
    Metadata,
    Violation,
    Waypoint,
    Witness,
)

LARGEST: Final = 64_000_000  # bytes
MOST_ENTRIES: Final = 100_000
"""Invariants or waypoints of one witness."""

_YAML: Final = (".yml", ".yaml")
_XML: Final = (".graphml", ".xml")
_COUNTED: Final = regex(r"[1-9][0-9]{0,8}")
_WHAT: Final = "verification witness"
_COMMENT: Final = regex(r"\A(?:\s*<\?.*?\?>|\s*<!--.*?-->)*\s*", re.DOTALL)


def is_witness(path: Path) -> bool:
    """By its name and, as results have one of their own (.json), not by what is in it."""
    return path.suffix in (*_YAML, *_XML)


def read_witness(path: Path) -> Witness:
    """Raises UnusableInput."""
    if path.suffix in _XML:
        return _graphml(path)
    document = read_yaml(path, _WHAT)
    if not isinstance(document.value, list):
        raise UnusableInput(f"{path}: is no {_WHAT}: expected a list of entries")
    entries = [entry for entry in document.items() if entry.at("entry_type").text() != "ghost_instrumentation"]
    if len(entries) != len(document.value):
        raise UnusableInput(f"{path}: has ghost variables, of programs with threads, which cannot be checked yet")
    if not entries:
        raise UnusableInput(f"{path}: has no entry: expected an invariant_set or a violation_sequence")
    kinds = {entry.at("entry_type").one_of("invariant_set", "violation_sequence") for entry in entries}
    if kinds == {"violation_sequence"} and len(entries) == 1:
        return _violation(entries[0])
    if kinds != {"invariant_set"}:
        raise UnusableInput(f"{path}: has {len(entries)} entries: expected one violation_sequence, or invariant_sets")
    return _correctness(entries)


def _metadata(entry: Given) -> Metadata:
    given = entry.at("metadata")
    given.at("format_version").one_of(*VERSIONS, "2.0.1", "2.0.2", "2.2")
    given.at("uuid").text()
    given.at("creation_time").text()
    producer = given.at("producer")
    task = given.at("task")
    files = task.at("input_files")
    names = (files.text(),) if isinstance(files.value, str) else files.texts()
    if not names:
        files.refused("at least one file")
    hashes = task.at("input_file_hashes")
    for name in hashes.object():
        if not re.fullmatch(r"[0-9a-fA-F]{64}", hashes.at(name).text()):
            hashes.at(name).refused("a SHA-256 in hexadecimal")
    if task.at("language").text() != "C":
        task.at("language").refused("C")
    model = task.at("data_model").one_of("ILP32", "LP64")
    made = f"{producer.at('name').text()} {producer.at('version').text()}"
    digests = tuple(hashes.at(name).text().lower() if hashes.get(name) is not None else "" for name in names)
    return Metadata(names, digests, task.at("specification").text(), model, made)


def _location(given: Given, metadata: Metadata) -> Location:
    column, function = given.get("column"), given.get("function")
    file = given.at("file_name").text()
    if Path(file).name not in {Path(name).name for name in metadata.files}:
        given.at("file_name").refused(f"one of the witness's files, {', '.join(metadata.files[:4])}")
    name = function.text() if function is not None else ""
    return Location(file, _number(given.at("line")), _number(column) if column is not None else 0, name)


def _number(given: Given) -> int:
    """YAML is read as text, and of a number that begins with 0 its versions mean different things."""
    text = given.text()
    if not _COUNTED.fullmatch(text):
        given.refused("a whole number from 1")
    return int(text)


def _few(content: Given) -> Iterator[Given]:
    for number, item in enumerate(content.items()):
        if number >= MOST_ENTRIES:
            raise UnusableInput(f"{content.where} has more than {MOST_ENTRIES:,} entries")
        yield item


# ---------------------------------------------------------------- correctness


def _correctness(entries: list[Given]) -> Correctness:
    metadata = _metadata(entries[0])
    invariants: list[Invariant] = []
    contracts: list[Contract] = []
    for entry in entries:
        if _metadata(entry).specification != metadata.specification:
            raise UnusableInput(f"{entry.where} is about another specification than the first entry")
        content = entry.get("content")
        for item in _few(content) if content is not None else ():
            if item.get("contract") is not None:
                contracts.append(_contract(item.at("contract"), metadata))
            else:
                invariants.append(_invariant(item.at("invariant"), metadata))
    return Correctness(metadata, tuple(invariants), tuple(contracts))


def _invariant(given: Given, metadata: Metadata) -> Invariant:
    kind = given.at("type").one_of(LOOP, LOCATION)
    given.at("format").one_of(C, EXTENDED)
    return Invariant(kind, _location(given.at("location"), metadata), given.at("value").text())


def _contract(given: Given, metadata: Metadata) -> Contract:
    given.at("type").one_of(CONTRACT)
    given.at("format").one_of(C, EXTENDED, ACSL)
    requires, ensures = given.get("requires"), given.get("ensures")
    before = requires.text() if requires is not None else ""
    return Contract(_location(given.at("location"), metadata), before, ensures.text() if ensures is not None else "")


# ---------------------------------------------------------------- violations


def _violation(entry: Given) -> Violation:
    metadata = _metadata(entry)
    segments = [_segment(item, metadata) for item in _few(entry.at("content"))]
    targets = [point.type == TARGET for segment in segments for point in segment]
    if not segments or targets.count(True) != 1 or segments[-1][-1].type != TARGET:
        raise UnusableInput(f"{entry.where}.content has to end with the one target")
    return Violation(metadata, tuple(segments))


def _segment(item: Given, metadata: Metadata) -> tuple[Waypoint, ...]:
    given = item.at("segment")
    points = [_waypoint(point.at("waypoint"), metadata) for point in given.items()]
    if [point.action for point in points].count(FOLLOW) != 1 or points[-1].action != FOLLOW:
        given.refused("waypoints to avoid, and one to follow at the end")
    return tuple(points)


def _waypoint(given: Given, metadata: Metadata) -> Waypoint:
    kind = given.at("type").one_of(*TYPES)
    action = given.at("action").one_of(FOLLOW, AVOID)
    constraint = given.get("constraint")
    if kind in (ASSUMPTION, BRANCHING, RETURN):
        text = given.at("constraint").at("value").text()
    elif constraint is not None and kind == TARGET:
        constraint.refused(f"nothing for a {kind}")
    else:
        text = ""
    if kind == TARGET and action != FOLLOW:
        given.at("action").refused("follow for the target")
    return Waypoint(kind, _location(given.at("location"), metadata), text, action)


# ---------------------------------------------------------------- GraphML


def _graphml(path: Path) -> Violation:
    text = read_text(path, _WHAT, LARGEST)
    head = text[_COMMENT.match(text).end() :] if _COMMENT.match(text) else text  # type: ignore[union-attr]
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise UnusableInput(f"{path}: has a document type: a witness has none")
    if not head.startswith("<"):
        raise UnusableInput(f"{path}: is not XML, expected a {_WHAT}")
    try:
        root = xml.fromstring(text.encode())
    except (xml.ParseError, ValueError) as error:
        raise UnusableInput(f"{path}: is not XML: {shown(str(error))[:200]}") from None
    graph = next((node for node in root if node.tag.endswith("graph")), None)
    if graph is None:
        raise UnusableInput(f"{path}: has no graph, expected a {_WHAT} in GraphML {GRAPHML}")
    return _Graph(path, graph).violation()


class _Graph:
    """A witness automaton. Its edges from the entry to the violation are waypoints where they say what calls return;
    what else they say guides, and need not be so, so it is left out."""

    def __init__(self, path: Path, graph: xml.Element) -> None:
        self.path = path
        self.data = _data(graph)
        self.edges: dict[str, list[tuple[str, dict[str, str]]]] = {}
        self.entry, self.violations = "", set[str]()
        for node in graph:
            if node.tag.endswith("edge"):
                step = (node.get("target", ""), _data(node))
                self.edges.setdefault(node.get("source", ""), []).append(step)
            elif node.tag.endswith("node"):
                said = _data(node)
                self.entry = node.get("id", "") if said.get("entry") == "true" else self.entry
                self.violations |= {node.get("id", "")} if said.get("violation") == "true" else set()

    def violation(self) -> Violation:
        if self.data.get("witness-type") != "violation_witness":
            raise UnusableInput(f"{self.path}: GraphML is read for violations alone: give YAML 2.0")
        metadata = self._metadata()
        file = metadata.files[0]
        path = self._path()
        points = [self._point(said, file) for said in path]
        segments = [(point,) for point in points if point is not None]
        lines = [int(said["startline"]) for said in path if re.fullmatch(r"[0-9]{1,9}", said.get("startline", ""))]
        target = Waypoint(TARGET, Location(file, lines[-1] if lines else 0))
        return Violation(metadata, (*segments, (target,)))

    def _metadata(self) -> Metadata:
        for name in ("specification", "programfile", "architecture"):
            if not self.data.get(name):
                raise UnusableInput(f"{self.path}: does not say its {name}")
        model = "LP64" if self.data["architecture"].startswith("64") else "ILP32"
        digest = self.data.get("programhash", "").lower()
        return Metadata((self.data["programfile"],), (digest,), self.data["specification"], model)

    def _path(self) -> list[dict[str, str]]:
        """What the edges of a shortest way to a violation say."""
        came: dict[str, tuple[str, dict[str, str]]] = {}
        waiting, seen = [self.entry], {self.entry}
        for node in waiting:
            if node in self.violations:
                return _way(came, node)
            for target, said in self.edges.get(node, ()):
                if target not in seen:
                    seen.add(target)
                    came[target] = (node, said)
                    waiting.append(target)
        raise UnusableInput(f"{self.path}: no way leads from its entry to a violation")

    def _point(self, said: dict[str, str], file: str) -> Waypoint | None:
        text, line = said.get("assumption", ""), said.get("startline", "")
        found = re.fullmatch(r"\s*(\\result\s*==[^;&|]*?)\s*;?\s*", text)
        if found is None or "assumption.resultfunction" not in said or not re.fullmatch(r"[0-9]{1,9}", line):
            return None
        return Waypoint(RETURN, Location(file, int(line)), found[1])


def _way(came: dict[str, tuple[str, dict[str, str]]], node: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    while node in came:
        node, said = came[node]
        found.append(said)
    return found[::-1]


def _data(element: xml.Element) -> dict[str, str]:
    return {part.get("key", ""): part.text or "" for part in element if part.tag.endswith("data")}
