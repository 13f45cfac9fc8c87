"""One visit of a golden in which all its promises are asked for: each that is broken is named, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.goldens import TARGETS, Case


class Visit:
    """Promises that hold for every golden, made with `once` and `for_each_target`, kept by `of`."""

    def __init__(self) -> None:
        self._promises: list[tuple[str, Callable[[Case], None]]] = []

    def once(self, promise: Callable[[Case], None], name: str = "") -> Callable[[Case], None]:
        """Ask for a promise once."""
        self._promises.append((name or promise.__name__, promise))
        return promise

    def for_each_target(self, promise: Callable[[Case, str], None]) -> Callable[[Case, str], None]:
        """Ask for a promise with each target."""
        for target in sorted(TARGETS):
            self._promises.append((f"{promise.__name__}[{target}]", partial(promise, target=target)))
        return promise

    def of(self, case: Case) -> None:
        """Ask a golden for all of them.

        Raises:
            pytest.fail.Exception: some are broken.
        """
        broken = [f"{name}: {said}" for name, promise in self._promises if (said := _broken(promise, case)) is not None]
        if broken:
            pytest.fail("\n\n".join(broken), pytrace=False)


def _broken(promise: Callable[[Case], None], case: Case) -> str | None:
    """What a golden that breaks a promise is told."""
    try:
        promise(case)
    except AssertionError as error:
        return str(error)
    return None
