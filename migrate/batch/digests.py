"""Digests that stand for what a result depends on: the same for equal values, in every process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import blake2b
from typing import Any

from codemods.kit.links import ALONE, Links
from migrate.registry import Selection

_SIZE = 16


def digest(*parts: bytes | str) -> bytes:
    """Of some texts. Their lengths count: moving a letter from one to the next gives another digest."""
    found = blake2b(digest_size=_SIZE)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.digest()


ALONE_DIGEST = digest("alone")
"""Of the links of a file by itself."""


def digest_of(links: Links) -> bytes:
    """Of what other files say about one."""
    return ALONE_DIGEST if links == ALONE else digest(spell(links))


def digest_of_selection(selection: Selection) -> bytes:
    """Of which edits are wanted."""
    return digest(*sorted(selection.select), "", *sorted(selection.ignore), "", selection.safety.value)


def spell(value: Any) -> str:
    """A text that is the same for equal values: sets, whose order is chance, are sorted."""
    if isinstance(value, frozenset | set):
        return f"{{{','.join(sorted(map(spell, value)))}}}"
    if isinstance(value, Mapping):
        return f"[{','.join(sorted(f'{spell(key)}={spell(each)}' for key, each in value.items()))}]"
    if isinstance(value, tuple | list):
        return f"({','.join(map(spell, value))})"
    if isinstance(value, Enum):
        return value.name
    if is_dataclass(value):
        return f"<{','.join(spell(getattr(value, field.name)) for field in fields(value))}>"
    return repr(value)
