"""What a rank would have to itself in a process of its own: exchanged whenever another rank gets the turn.

Generators of random numbers, what is observed, the modules of the script's folder, environment variables, the working
directory, and what scripts set in `sys` and `builtins`. Dtypes and devices that a script makes the default are the
thread's own in torch, or alike on all ranks.
"""

from __future__ import annotations

import builtins
import importlib
import os
import random
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .. import loading, observe, pinning, precision, randomness, states

SET_BY_SCRIPTS = (
    (sys, "argv"), (sys, "path"), (sys, "stdout"), (sys, "stderr"), (sys, "excepthook"), (builtins, "print"),
)  # fmt: skip

if TYPE_CHECKING:
    Belonging = tuple[Callable[[], Any], Callable[[Any], None]]
    """How one is saved and how it is put back."""


class Belongings:
    """All that is exchanged."""

    def __init__(self, torch: Any, mirror: str) -> None:
        self.modules = Modules(mirror)
        observer = observe.current
        assert observer is not None
        kept = (
            observer.__dict__, observer.log.__dict__, observe.unscaled, loading.passes, randomness.seeded,
            randomness.drawn, precision.coverage, precision.regions, pinning.sources,
            states.schedulers, sys.path, sys.argv,
        )  # fmt: skip
        self.items: list[Belonging] = [
            *(attribute(owner, name) for owner, name in SET_BY_SCRIPTS),
            *(contents(container) for container in kept),
            (lambda: dict(os.environ), give_environment),
            (os.getcwd, os.chdir),
            (random.getstate, random.setstate),
            (torch.get_rng_state, torch.set_rng_state),
            (torch.get_default_dtype, torch.set_default_dtype),
            (self.modules.take, self.modules.give),
        ]
        if "numpy" in sys.modules:
            numpy = importlib.import_module("numpy").random
            self.items.append((numpy.get_state, numpy.set_state))

    def save(self) -> list[Any]:
        """What is in place."""
        return [take() for take, _ in self.items]

    def load(self, saved: list[Any]) -> None:
        """Put in place what was saved."""
        for (_, give), value in zip(self.items, saved):
            give(value)


def attribute(owner: Any, name: str) -> Belonging:
    """An attribute of a module."""
    return lambda: getattr(owner, name), lambda value: setattr(owner, name, value)


def contents(container: Any) -> Belonging:
    """What a list, set or dict holds; the container itself stays, since others refer to it."""

    def give(saved: Any) -> None:
        if isinstance(container, list):
            container[:] = saved
            return
        # What stays is at no moment missing: the watching thread reads some of it.
        for key in set(container).difference(saved):
            container.pop(key) if isinstance(container, dict) else container.discard(key)
        container.update(saved)

    return container.copy, give


def give_environment(saved: dict[str, str]) -> None:
    """Set the environment variables that differ, and no others: threads of XLA may read them."""
    for name in set(os.environ).difference(saved):
        del os.environ[name]
    for name, value in saved.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


class Modules:
    """The modules of the script's own folder, and its main program: one copy for each rank."""

    def __init__(self, mirror: str) -> None:
        self.mirror = os.path.join(mirror, "")
        self.known: dict[str, bool] = {"__main__": True, "__mp_main__": True}

    def take(self) -> dict[str, Any]:
        """Those that are imported."""
        names = [name for name in list(sys.modules) if name not in self.known]
        self.known |= {name: self.is_own(sys.modules[name]) for name in names}
        return {name: module for name, own in self.known.items() if own and (module := sys.modules.get(name))}

    def give(self, saved: dict[str, Any]) -> None:
        """Have these imported, and no others of the folder."""
        for name in self.take():
            del sys.modules[name]
        sys.modules.update(saved)

    def is_own(self, module: Any) -> bool:
        """Whether a module lies in the script's folder, or in one beside it."""
        folders = getattr(module, "__path__", None)
        places = [getattr(module, "__file__", None), *(folders if isinstance(folders, Iterable) else ())]
        places = [place for place in places if isinstance(place, str)]
        return any(place.startswith(self.mirror) and "site-packages" not in place for place in places)
