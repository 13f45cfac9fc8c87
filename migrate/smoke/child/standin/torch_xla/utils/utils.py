"""torch_xla.utils.utils: what goes through the containers of a batch, and a source of made-up batches."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from typing import Any


class SampleGenerator:
    """Gives the same batch again and again."""

    def __init__(self, data: Any, sample_count: int) -> None:
        self._data, self._sample_count, self._count = data, sample_count, 0

    def __iter__(self) -> Iterator[Any]:
        return SampleGenerator(self._data, self._sample_count)

    def __len__(self) -> int:
        return self._sample_count

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        if self._count >= self._sample_count:
            raise StopIteration
        self._count += 1
        return self._data


def as_list(t: Any) -> Any:
    return t if isinstance(t, (tuple, list)) else [t]


def getenv_as(name: str, type: Any, defval: Any = None) -> Any:
    value = os.environ.get(name)
    if value is None:
        return defval
    return bool(int(value)) if type is bool else type(value)


def for_each_instance_rewrite(value: Any, select_fn: Any, fn: Any) -> Any:
    """A copy of nested containers and objects, with `fn` applied to what `select_fn` picks.

    Tuples, named ones too, become lists, and every kind of dictionary a plain one: torch_xla does that.
    """
    return _rewrite(value, select_fn, fn, {})


def _rewrite(value: Any, select: Any, change: Any, done: dict[int, Any]) -> Any:
    if id(value) in done:
        return done[id(value)]
    result = value
    if select(value):
        result = done[id(value)] = change(value)
    elif isinstance(value, dict):
        result = done[id(value)] = {}
        for key, item in value.items():
            result[_rewrite(key, select, change, done)] = _rewrite(item, select, change, done)
    elif isinstance(value, set):
        result = done[id(value)] = set()
        result.update(_rewrite(item, select, change, done) for item in value)
    elif isinstance(value, (list, tuple)):
        result = done[id(value)] = []
        result.extend(_rewrite(item, select, change, done) for item in value)
    elif hasattr(value, "__dict__"):
        result = done[id(value)] = copy.copy(value)
        for key in result.__dict__:
            result.__dict__[key] = _rewrite(result.__dict__[key], select, change, done)
    return result
