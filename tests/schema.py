"""As much of JSON Schema as docs/result-schema.json uses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = json.loads((Path(__file__).parent.parent / "docs" / "result-schema.json").read_text())

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def violations(value: Any, schema: dict[str, Any], path: str = "$") -> list[str]:
    """Where `value` does not fit; an empty list if it does. Unknown keywords are an error."""
    known = {"$schema", "title", "type", "required", "properties", "items", "enum", "const", "pattern"}
    unknown = set(schema) - known - {"minimum", "anyOf", "$ref", "$defs"}
    assert not unknown, unknown
    if "$ref" in schema:
        whole = schema["$ref"] == "#"
        return violations(value, ROOT if whole else ROOT["$defs"][schema["$ref"].rsplit("/", 1)[1]], path)
    if "anyOf" in schema:
        tries = [violations(value, option, path) for option in schema["anyOf"]]
        return [] if any(not found for found in tries) else max(tries, key=len)
    found = []
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        kinds = tuple(kind for name in names for kind in _TYPES[name])
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            return [f"{path}: {value!r} is not {names}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: {value!r} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: {value!r} is not one of {schema['enum']}")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{path}: {value!r} does not match")
    if "minimum" in schema and isinstance(value, int | float) and value < schema["minimum"]:
        found.append(f"{path}: {value} is too small")
    if isinstance(value, dict):
        found += [f"{path}: {name} is missing" for name in schema.get("required", ()) if name not in value]
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                found += violations(value[name], inner, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += violations(item, schema["items"], f"{path}[{index}]")
    return found
