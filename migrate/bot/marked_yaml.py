"""YAML of somebody else's, with the line of every value: small, plain, and nothing in it stands for something else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

LARGEST = 64 * 1024
"""Bytes."""
Path = tuple[str | int, ...]


class YamlError(ValueError):
    """Text that is not YAML, or more of it than settings need."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        """1-based."""


@dataclass(frozen=True)
class Marked:
    """A document."""

    value: Any
    lines: dict[Path, int]
    """The 1-based line of each value, that of its key where it has one, by the keys and indices that lead to it."""

    def line(self, path: Path) -> int:
        """The line of a value, or of the nearest one it is in."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


class _PlainLoader(yaml.SafeLoader):
    """No aliases: a few of them stand for a billion values."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise YamlError(_line(event.start_mark), "anchors and aliases are not allowed")
        return super().compose_node(parent, index)


def parse(data: bytes) -> Marked:
    """The one document of a file; None for an empty one. Raises YamlError."""
    if len(data) > LARGEST:
        raise YamlError(1, f"larger than {LARGEST // 1024} KiB")
    try:
        loader = _PlainLoader(data.decode("utf-8"))
        node = loader.get_single_node()
        lines = dict(_lines(node, ())) if node is not None else {}
        return Marked(loader.construct_document(node) if node is not None else None, lines)
    except UnicodeDecodeError as error:
        raise YamlError(data.count(b"\n", 0, error.start) + 1, "not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(_line(mark) if mark is not None else 1, error.problem or "not YAML") from error
    except RecursionError as error:
        raise YamlError(1, "nested too deeply") from error
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:
        if isinstance(error, YamlError):
            raise
        raise YamlError(1, "not YAML: " + " ".join(str(error).split())[:200]) from error


def _lines(node: yaml.Node, path: Path) -> Iterator[tuple[Path, int]]:
    yield path, _line(node.start_mark)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _lines(item, (*path, index))
    elif isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != "tag:yaml.org,2002:str":
                raise YamlError(_line(key.start_mark), "a key that is not a word")
            if key.value in seen:
                raise YamlError(_line(key.start_mark), f"{key.value!r} is said twice")
            seen.add(key.value)
            yield from _lines(value, (*path, key.value))
            yield (*path, key.value), _line(key.start_mark)


def _line(mark: yaml.Mark) -> int:
    return int(mark.line) + 1
