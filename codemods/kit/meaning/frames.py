"""What is in progress: calls, modules that are executed, and the loops in them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from codemods.kit.meaning.heap import NOWHERE, Mark
from codemods.kit.meaning.paths import Path
from codemods.kit.meaning.values import (
    NO_TAINTS,
    Function,
    Obj,
    Scope,
    Site,
    Taints,
    Value,
)

_NOT_YET = Site("", -1)


@dataclass(eq=False, slots=True)
class Loop:
    """A loop in progress."""

    node: ast.AST
    mark: Mark
    facts: int
    started: int
    """What is made since it began has a higher serial number."""
    rounds: Taints = NO_TAINTS
    """What decides how often it goes round."""
    iteration: Mark = NOWHERE
    """The heap's mark where the present iteration began."""
    breaks: list[Path] = field(default_factory=list)
    continues: list[Path] = field(default_factory=list)
    number: int = 0
    began: int = 0
    """What is made in the present iteration has a higher serial number."""
    differs: Taints = NO_TAINTS
    """Why some processes may have left it while others go on."""


@dataclass(eq=False, slots=True)
class Frame:
    """A call in progress, or a module that is executed."""

    scope: Scope
    module: Obj
    path: str
    function: Function | None = None
    model: bool = False
    """It belongs to a library model: not a place of the user's program."""
    mark: Mark = NOWHERE
    facts: int = 0
    returns: list[Path] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    line: int = 0
    consumer: Callable[[Value], None] | None = None
    """What is done with the elements a generating function yields."""
    yielded: list[Value] = field(default_factory=list)
    foreign: frozenset[str] = frozenset()
    """Names that it assigns and another scope holds: those of its `global` and `nonlocal` statements."""
    _site: Site = _NOT_YET

    @property
    def site(self) -> Site:
        """The line that runs in it."""
        if self._site.line != self.line:
            self._site = Site(self.path, self.line, self.function.name if self.function else "")
        return self._site
