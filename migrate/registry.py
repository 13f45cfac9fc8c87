"""Which codemods there are, and which of them run. Adding one is adding a file to `codemods/`."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

import codemods as package
from codemods.kit.rules import Rule, Safety
from migrate import job_files, judging, requirements
from migrate.aliases import ALIASES, is_called

if TYPE_CHECKING:
    from codemods.kit.codemod import Codemod


@cache
def codemods() -> tuple[type[Codemod], ...]:
    """Every codemod, in stage order and by name within a stage."""
    from codemods.kit.codemod import Codemod  # and with it LibCST, which a run that finds nothing changed does without

    found: list[type[Codemod]] = []
    for module in pkgutil.iter_modules(package.__path__):
        if module.ispkg:
            continue
        loaded = importlib.import_module(f"codemods.{module.name}")
        found += [
            value
            for value in vars(loaded).values()
            if isinstance(value, type) and issubclass(value, Codemod) and value.__module__ == loaded.__name__
        ]
    return tuple(sorted(found, key=lambda codemod: (codemod.STAGE, codemod.name())))


@cache
def rules() -> dict[str, tuple[Rule, str]]:
    """Every rule by id, with the name of its codemod, or of what else it belongs to."""
    found = {rule.id: (rule, codemod.name()) for codemod in codemods() for rule in codemod.RULES}
    others = {rule.id: (rule, room.NAME) for room in (requirements, job_files, judging) for rule in room.RULES}
    return {**others, **found}


@dataclass(frozen=True)
class Selection:
    """Which edits the user wants: names of codemods, ids or aliases of rules, or the beginnings of these."""

    select: frozenset[str] = frozenset()
    """Empty: everything."""
    ignore: frozenset[str] = frozenset()
    safety: Safety = Safety.REVIEW
    """The least certain kind of edit that is made."""

    def __post_init__(self) -> None:
        for word in (*self.select, *self.ignore):
            check_word(word)

    def allows(self, rule: Rule, codemod: str) -> bool:
        """Whether edits and notes of a rule are wanted."""
        if self.select and not _matches(self.select, rule, codemod):
            return False
        if _matches(self.ignore, rule, codemod):
            return False
        return rule.safety is not Safety.REVIEW or self.safety is Safety.REVIEW


ALL = Selection()


def check_word(word: str) -> None:
    """Raises ValueError, naming the nearest, for a word that is no codemod, rule, alias or beginning of one."""
    names = {codemod.name() for codemod in codemods()} | {requirements.NAME, judging.NAME}
    if word in names or any(rule.startswith(word) for rule in (*rules(), *ALIASES)):
        return
    nearest = get_close_matches(word, [*names, *rules(), *ALIASES], 1, 0.0)
    raise ValueError(f"no codemod or rule is called {word!r}; the nearest is {nearest[0]!r}" if nearest else word)


def _matches(words: frozenset[str], rule: Rule, codemod: str) -> bool:
    return codemod in words or is_called(rule.id, tuple(words))
