"""Pins the random numbers that come from outside of the script, and notes where it takes them.

A generator that nobody seeds, the clock as a seed, the system's own random numbers: with these each run of a script
is another training, and no two can be compared. Where one of the user's own lines takes them it gets the same ones in
every run instead. What a library takes for itself (a temporary name, a port) stays what it is.
"""

from __future__ import annotations

import functools
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from . import counters, replicas

sources: dict[tuple[str, str], None] = {}
"""What was pinned and at which of the user's lines, in order."""
UNITS = (1, 10**3, 10**6, 10**9)
"""A clock's seconds, milliseconds, microseconds, nanoseconds."""
RECENT = 600.0
"""Seconds for which a script may have kept the time that it seeds by."""

System = random.SystemRandom
BETWEEN = ("secrets", "random", __name__.partition(".")[0])


class Pinned:
    """The order's seed, and whose lines count."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.roots = (order["root"], os.path.realpath(order["root"]))
        self.order = order
        self.making = False
        self.system = random.Random(self.seed)

    @property
    def seed(self) -> int:
        """A seed of this rank's own: ranks that nobody seeds draw other numbers each."""
        return int(self.order["seed"]) + (replicas.rank() if counters.in_replicas() else 0)

    def site(self) -> str:
        """The line that called what asks, where it is the user's own: "train.py:12"; else empty."""
        frame: Any = sys._getframe(1)
        # The functions of `secrets` and `random`, and other watches, are between the user's line and the generator.
        while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
            frame = frame.f_back
        name = frame.f_code.co_filename if frame is not None else ""
        for root in self.roots:
            if name.startswith(os.path.join(root, "")) and "site-packages" not in name:
                return f"{os.path.relpath(name, root)}:{frame.f_lineno}"
        return ""

    def seeding(self, function: Callable[..., Any], what: str) -> Callable[..., Any]:
        """A function or class that takes a seed: one of the user's lines that gives none, or the clock, gets ours."""

        @functools.wraps(function, updated=())
        def seeded(*arguments: Any, **options: Any) -> Any:
            given = arguments[0] if arguments else options.get("seed", options.get("x", options.get("a")))
            why = "" if given is None else "by the clock"
            if given is not None and not is_clock(given):
                return function(*arguments, **options)
            site = self.site()
            if not site:
                return function(*arguments, **options)
            sources.setdefault((f"{what} seeded {why}" if why else f"{what} without a seed", site))
            return function(self.seed)

        return seeded


def install(order: dict[str, Any]) -> Pinned:
    """Pin what Python itself has; what is returned pins numpy and torch."""
    pinned = Pinned(order)
    random.seed = pinned.seeding(random.seed, "random.seed()")
    start = random.Random.__init__

    def start_pinned(self: Any, x: Any = None) -> None:
        site = "" if isinstance(self, System) or (x is not None and not is_clock(x)) else pinned.site()
        if site:
            sources.setdefault((f"random.Random() {'without a seed' if x is None else 'seeded by the clock'}", site))
        start(self, pinned.seed if site else x)

    random.Random.__init__ = start_pinned  # type: ignore[method-assign]
    pin_system(pinned)
    return pinned


def pin_system(pinned: Pinned) -> None:
    """The system's own random numbers: `os.urandom`, `random.SystemRandom`, `secrets`."""
    urandom = os.urandom

    def random_bytes(size: int) -> bytes:
        site = pinned.site()
        if not site:
            return urandom(size)
        sources.setdefault(("os.urandom()", site))
        return pinned.system.randbytes(size)

    os.urandom = random_bytes
    for name in ("random", "getrandbits"):
        setattr(System, name, from_system(pinned, getattr(System, name), name))


def from_system(pinned: Pinned, method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A method of the system's generator."""

    @functools.wraps(method)
    def draw(self: Any, *arguments: Any) -> Any:
        site = "" if pinned.making else pinned.site()
        if not site:
            return method(self, *arguments)
        sources.setdefault(("the system's random numbers", site))
        return getattr(pinned.system, name)(*arguments)

    return draw


def pin_numpy(numpy: Any, pinned: Pinned) -> None:
    """`numpy.random`: its one generator, and those that are made."""
    numpy.random.seed(pinned.seed)
    for name in ("seed", "default_rng"):
        setattr(numpy.random, name, pinned.seeding(getattr(numpy.random, name), f"numpy.random.{name}()"))
    state = numpy.random.RandomState

    class RandomState(state):  # type: ignore[misc, valid-type]
        def __init__(self, seed: Any = None) -> None:
            site = pinned.site() if seed is None or is_clock(seed) else ""
            if site:
                sources.setdefault(("numpy.random.RandomState() without a seed", site))
            pinned.making = True  # numpy asks the system first, whatever seed is given
            try:
                super().__init__(pinned.seed if site else seed)
            finally:
                pinned.making = False

    numpy.random.RandomState = RandomState


def pin_torch(torch: Any, pinned: Pinned) -> None:
    """torch's one generator, given the clock; and `torch.seed`, which asks the system."""
    seed = pinned.seeding(torch.manual_seed, "torch.manual_seed()")
    torch.manual_seed = torch.random.manual_seed = seed

    def seed_by_system() -> int:
        site = pinned.site()
        if site:
            sources.setdefault(("torch.seed()", site))
        torch.manual_seed(pinned.seed)
        return pinned.seed

    torch.seed = torch.random.seed = seed_by_system


def is_clock(value: Any) -> bool:
    """Whether a seed is the time of day, in any of its units."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    now = time.time()
    return any(abs(value / unit - now) < RECENT for unit in UNITS)
