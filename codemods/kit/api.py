"""What torch_xla offers in each version: every symbol with its signature, from the release tags 1.11 to 2.9.

`data/torch_xla_api.json` holds each symbol's runs of equal records, from the first to the last tag of the run; a tag
that no run covers lacks the symbol. The `v2.1.0` tag is not what was released, so 2.1 is the commit that the 2.1.0
wheel's `version.py` names (b8401372).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

Version = tuple[int, int]


@dataclass(frozen=True)
class Symbol:
    """A module, class, function, method, property or constant as one version has it."""

    name: str
    kind: str
    """`module`, `class`, `function`, `method`, `property`, `const`, or `external` for a re-exported name of torch."""
    signature: str = ""
    """As written in the source, without self and annotations; `(...)` when the class takes it from a base."""
    deprecated: bool = False
    target: str | None = None
    """Where a re-exported symbol is defined, or what a deprecated one asks to use instead."""
    bases: tuple[str, ...] = ()


def lookup(name: str, version: Version) -> Symbol | None:
    """The symbol of that dotted name in a torch_xla version, or None when the version has none."""
    data = _data()
    for run in data["symbols"].get(name, ()):
        if _version(run["since"]) <= version <= _version(run["until"]):
            return Symbol(
                name,
                run["kind"],
                run["signature"],
                run["deprecated"],
                run.get("target"),
                tuple(run.get("bases", ())),
            )
    for since, until in data["modules"].get(name, ()):
        if _version(since) <= version <= _version(until):
            return Symbol(name, "module")
    return None


def accepts(symbol: Symbol, positional: int, keywords: Collection[str], unpacks: bool = False) -> str | None:
    """Why a call with so many positional arguments and these keywords does not fit, or None when it does.

    `unpacks`: the call also has `*args` or `**kwargs`, so nothing is surely missing.
    """
    if symbol.kind in ("module", "const"):
        return f"{symbol.name} is a {symbol.kind}, not callable"
    parameters = _parameters(symbol.signature)
    if parameters is None:
        return None
    named = [*parameters.posonlyargs, *parameters.args]
    if positional > len(named) and parameters.vararg is None:
        return f"{symbol.name}{symbol.signature} takes {len(named)} positional arguments, not {positional}"
    filled = {each.arg for each in named[:positional]}
    accepted = {each.arg for each in (*parameters.args, *parameters.kwonlyargs)}
    for keyword in keywords:
        if keyword in filled:
            return f"{symbol.name}{symbol.signature} is given {keyword!r} twice"
        if keyword not in accepted and parameters.kwarg is None:
            return f"{symbol.name}{symbol.signature} has no parameter {keyword!r}"
    required = [each.arg for each in named[: len(named) - len(parameters.defaults)]]
    required += [
        each.arg for each, default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if default is None
    ]
    missing = [name for name in required if name not in filled and name not in keywords]
    if missing and not unpacks:
        return f"{symbol.name}{symbol.signature} is missing {', '.join(missing)}"
    return None


@cache
def _parameters(signature: str) -> ast.arguments | None:
    """The parsed signature, or None when it is unknown."""
    if signature in ("", "(...)"):
        return None
    definition = ast.parse(f"def f{signature}: ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition.args


def _version(tag: str) -> Version:
    major, minor, _ = tag.removeprefix("v").split(".")
    return int(major), int(minor)


@cache
def _data() -> dict[str, Any]:
    # Here and not above: a migration never reads the data, so it should not pay for the import either.
    from importlib.resources import files

    text = (files("codemods") / "kit" / "data" / "torch_xla_api.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
