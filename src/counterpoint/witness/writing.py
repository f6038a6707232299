"""Writes witnesses: YAML 2.0 or 2.1, and violations also as GraphML 1.0."""

from __future__ import annotations

import uuid
import xml.etree.ElementTree as xml
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.version import version
from counterpoint.witness.document import (
    CONTRACT,
    EXTENDED,
    GRAPHML,
    RETURN,
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

NAME: Final = "Counterpoint"
_NAMESPACE: Final = "http://graphml.graphdrawing.org/xmlns"
_KEYS: Final = (
    ("witness-type", "graph"), ("sourcecodelang", "graph"), ("producer", "graph"), ("specification", "graph"),
    ("programfile", "graph"), ("programhash", "graph"), ("architecture", "graph"), ("creationtime", "graph"),
    ("entry", "node"), ("violation", "node"), ("startline", "edge"), ("assumption", "edge"),
    ("assumption.scope", "edge"), ("assumption.resultfunction", "edge"),
)  # fmt: skip


def written(witness: Witness, format_: str) -> str:
    """The file's text. Contracts are left out of 2.0, which has none. Raises UnusableInput for a proof in GraphML."""
    if format_ == GRAPHML:
        if not isinstance(witness, Violation):
            raise UnusableInput("--witness-format 1.0: GraphML is written for violations alone: give 2.0")
        return _graphml(witness)
    match witness:
        case Correctness():
            content: list[dict[str, object]] = [{"invariant": _invariant(one)} for one in witness.invariants]
            if format_ != "2.0":
                content += [{"contract": _contract(one)} for one in witness.contracts]
            entry = {"entry_type": "invariant_set"}
        case Violation():
            content = [{"segment": [{"waypoint": _waypoint(one, format_)} for one in s]} for s in witness.segments]
            entry = {"entry_type": "violation_sequence"}
    return _yaml([{**entry, "metadata": _metadata(witness.metadata, format_), "content": content}])


def _yaml(document: object) -> str:
    import yaml  # imported late: it costs 20 ms

    class Indented(yaml.SafeDumper):
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, False)

    text: str = yaml.dump(document, Dumper=Indented, sort_keys=False, allow_unicode=False, width=10**6)
    return text


def _metadata(metadata: Metadata, format_: str) -> Mapping[str, object]:
    hashes = dict(zip(metadata.files, metadata.hashes, strict=True))
    return {
        "format_version": format_,
        "uuid": str(uuid.uuid4()),
        "creation_time": _now(),
        "producer": {"name": NAME, "version": version()},
        "task": {
            "input_files": list(metadata.files),
            "input_file_hashes": hashes,
            "specification": metadata.specification,
            "data_model": metadata.data_model,
            "language": "C",
        },
    }


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _location(at: Location) -> Mapping[str, object]:
    column = {"column": at.column} if at.column else {}
    function = {"function": at.function} if at.function else {}
    return {"file_name": at.file, "line": at.line, **column, **function}


def _invariant(one: Invariant) -> Mapping[str, object]:
    return {"type": one.type, "location": _location(one.location), "value": one.value, "format": C}


def _contract(one: Contract) -> Mapping[str, object]:
    requires = {"requires": one.requires} if one.requires else {}
    ensures = {"ensures": one.ensures} if one.ensures else {}
    return {"type": CONTRACT, "location": _location(one.location), **requires, **ensures, "format": EXTENDED}


def _waypoint(one: Waypoint, format_: str) -> Mapping[str, object]:
    said: dict[str, Any] = {"type": one.type, "action": one.action, "location": _location(one.location)}
    match one.type:
        case "branching":
            said["constraint"] = {"value": one.constraint}
        case "assumption":
            said["constraint"] = {"value": one.constraint, "format": C}
        case "function_return":
            extended = "acsl_expression" if format_ == "2.0" else EXTENDED
            said["constraint"] = {"value": one.constraint, "format": extended}
    return said


# ---------------------------------------------------------------- GraphML


def _graphml(witness: Violation) -> str:
    root = xml.Element("graphml", {"xmlns": _NAMESPACE})
    for name, kind in _KEYS:
        xml.SubElement(root, "key", {"id": name, "for": kind, "attr.name": name, "attr.type": "string"})
    graph = xml.SubElement(root, "graph", {"edgedefault": "directed"})
    metadata = witness.metadata
    for name, text in (
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", f"{NAME} {version()}"),
        ("specification", metadata.specification),
        ("programfile", metadata.files[0]),
        ("programhash", metadata.hashes[0]),
        ("architecture", "64bit" if metadata.data_model == "LP64" else "32bit"),
        ("creationtime", _now()),
    ):
        _datum(graph, name, text)
    _datum(xml.SubElement(graph, "node", {"id": "N0"}), "entry", "true")
    for number, segment in enumerate(witness.segments, 1):
        node = xml.SubElement(graph, "node", {"id": f"N{number}"})
        if number == len(witness.segments):
            _datum(node, "violation", "true")
        _edge(graph, number, segment[-1])
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding="unicode") + "\n"


def _edge(graph: xml.Element, number: int, point: Waypoint) -> None:
    edge = xml.SubElement(graph, "edge", {"source": f"N{number - 1}", "target": f"N{number}"})
    _datum(edge, "startline", str(point.location.line))
    if point.type == RETURN:
        _datum(edge, "assumption", f"{point.constraint};")
        if point.location.function:
            _datum(edge, "assumption.scope", point.location.function)
        _datum(edge, "assumption.resultfunction", point.callee)


def _datum(element: xml.Element, key: str, text: str) -> None:
    xml.SubElement(element, "data", {"key": key}).text = text
