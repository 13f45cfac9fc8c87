"""GitHub's own description of the requests that are used: what is asked and answered is held against it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema

_FILE = Path(__file__).with_name("github_api.json")


@cache
def operations() -> dict[str, Any]:
    """By `METHOD /path/{of}/parts`: the schemas of the query, the request and the answer, a status, an example."""
    return dict(json.loads(_FILE.read_text(encoding="utf-8"))["operations"])


def find(method: str, path: str) -> tuple[str, list[str]] | None:
    """Which of them a request is, and the parts of its path that vary."""
    for key in operations():
        pattern = re.sub(r"\{\w+\}", "([^/]+)", key)
        found = re.fullmatch(pattern, f"{method} {path}")
        if found is not None:
            return key, [unquote(part) for part in found.groups()]
    return None


def example(key: str, url: str) -> Any:
    """GitHub's own example of an answer, as if from a forge at `url`, mended where it breaks its own schema."""
    text = json.dumps(operations()[key]["example"]).replace("https://api.github.com", url)
    value = json.loads(text)
    for each in value if isinstance(value, list) else [value]:
        if "requested_teams" in each:
            each["requested_teams"] = []
        if "commit" in each:
            each["files"] = []
        for inner in (each, each.get("source"), each.get("parent")):
            if inner is not None and "default_branch" in inner:
                inner.setdefault("language", None)
        if "role_name" in each:
            each["user"] = None
    return value


def breaches(key: str, part: str, value: Any) -> list[str]:
    """What is wrong with a `request`, a `response`, or the values of a `query`; nothing when all is well."""
    schema = operations()[key][part]
    if part == "query":
        unknown = [f"{key}: no parameter {name}" for name in value if name not in schema]
        return unknown + [
            breach for name in value if name in schema for breach in _judge(key, schema[name], _number(value[name]))
        ]
    if part == "request" and key.endswith("/labels") and isinstance(value, list):
        # GitHub takes a bare list of names and documents it in words; its schema has no such form.
        value = {"labels": value}
    if schema is None:
        return [] if value is None else [f"{key}: a body"]
    return _judge(key, schema, value)


def _judge(key: str, schema: Any, value: Any) -> list[str]:
    errors = _validator(json.dumps(schema)).iter_errors(value)
    return [f"{key} {'.'.join(map(str, each.absolute_path))}: {each.message[:300]}" for each in errors]


@cache
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    named = json.loads(_FILE.read_text(encoding="utf-8"))["schemas"]
    return jsonschema.Draft202012Validator({"allOf": [json.loads(schema)], "schemas": named})


def _number(text: str) -> int | str:
    return int(text) if text.isdigit() else text
