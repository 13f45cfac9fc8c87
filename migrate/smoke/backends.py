"""Chooses what serves a migrated script's torch_xla: which interpreter, and whether a real one or the stand-in.

A real torch_xla is worth more, but only one that has the names the script is written with: torch_xla 2.9 has lost half
of what a script for the Training Compiler says. Which names those are is read from the table of idioms.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from codemods.kit import api
from codemods.kit.phrases import Idiom, Version
from codemods.kit.targets import Target
from migrate.migration import MigrateError
from migrate.smoke.environments import RECIPES, Environment, find
from migrate.smoke.record import Backend

NEWEST_FOR_1X = (2, 1)
"""The newest torch_xla that scripts for 1.x run on: what later ones mean by `autocast` or a spawn is something else."""

LOOK = """\
import importlib.metadata as m, importlib.util as u, json
def version(name):
    try: return m.version(name)
    except m.PackageNotFoundError: return "" if u.find_spec(name) else None
print(json.dumps([version("torch"), version("torch_xla")]))
"""
"""Asks an interpreter for its packages without importing them, which would take seconds."""


@dataclass(frozen=True)
class Choice:
    """What a migrated script runs on."""

    backend: Backend
    environment: Environment
    version: str
    """The torch_xla served: of the real one its own ("2.9.0"), of the stand-in the target's ("1.13")."""
    sentence: str
    """What was chosen and why, for the report."""
    accelerator: str = ""
    """"cuda": it was found to run there. Empty: not asked."""
    runtime: Mapping[str, str] = field(default_factory=dict)
    """The environment variables by which a real torch_xla runs there."""


@dataclass(frozen=True)
class Interpreter:
    """A Python of the user's that has torch."""

    python: Path
    torch: str
    torch_xla: str | None
    """Its version; None when it has none, empty when it does not say."""


@dataclass(frozen=True)
class Needs:
    """What a migrated script asks of a torch_xla."""

    target: Target
    names: tuple[str, ...]
    """The names of torch_xla it uses, of those that its target's idioms have."""
    exact: bool
    """Whether the names are those of one script; of any script for the target otherwise."""

    @classmethod
    def read(cls, target: Target, text: str | None) -> Needs:
        """The needs of a migrated script's text; without one, of any script for the target."""
        words = None if text is None else set(re.findall(r"\w+", text))
        names = tuple(name for name in names_of(target) if words is None or name.rpartition(".")[2] in words)
        return cls(target, names, text is not None)

    def lacking(self, version: str) -> list[str]:
        """The needed names that torch_xla `version` does not have."""
        number = parse(version)
        return [name for name in self.names if number is not None and api.lookup(name, number) is None]

    def misfit(self, version: str) -> str:
        """`which lacks NAMES`: why a script for the target is not to run on torch_xla `version`; empty when it may."""
        missing = self.lacking(version)
        if missing:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            return f"which lacks {', '.join(missing[:3])}{more}"
        number = parse(version)
        if number is not None and self.target.version < (2, 0) and number > NEWEST_FOR_1X:
            return f"which means other things by the names of {self.written_for}"
        return ""

    @property
    def written_for(self) -> str:
        """The target's version, "1.13"."""
        return ".".join(map(str, self.target.version))

    @property
    def oracles(self) -> list[str]:
        """The environments there are recipes for: those that fit, then those that lack least; the nearest first."""
        version = self.target.version
        return sorted(
            RECIPES,
            key=lambda name: (
                len(self.lacking(name)),
                bool(self.misfit(name)),
                distance(version, parse(name) or version),
            ),
        )

    def sentence(self, version: str) -> str:
        """What is to be said of running on torch_xla `version`: nothing where it is the target's."""
        misfit = self.misfit(version)
        if misfit and self.exact:
            return f", {misfit}: the script may fail for that alone"
        return "" if parse(version) == self.target.version else f", for a script written for {self.written_for}"


def choose(target: Target, wanted: str | None = None, python: Path | None = None, text: str | None = None) -> Choice:
    """What a script migrated for `target` is to run on.

    `wanted` is "torch_xla" (that of the user's interpreter), "oracle" (a provisioned environment with the target's
    torch_xla), "standin", or None: the first of these that has the names of the migrated script, whose `text` this is;
    without it, of any script for the target. `python` is the user's interpreter; None: the one that runs this tool, or
    else the first on PATH, that has torch.

    Raises MigrateError when there is none, and says how to get one.
    """
    needs = Needs.read(target, text)
    users = find_interpreter(python)
    real = choose_real(needs, users)
    if wanted == "torch_xla" and real is None:
        raise MigrateError(
            f"no torch_xla in {python or 'the interpreters on PATH'}; name one that has it with --python, "
            f"or build one: tc-migrate smoke --provision {needs.oracles[0]}"
        )
    if real is not None and (wanted == "torch_xla" or (wanted is None and not needs.misfit(real.version))):
        return real
    oracle = choose_oracle(needs, any_at_all=wanted == "oracle")
    if wanted == "oracle" and oracle is None:
        raise MigrateError(f"no environment is ready; build it: tc-migrate smoke --provision {needs.oracles[0]}")
    chosen = oracle if oracle is not None and wanted != "standin" else choose_standin(needs, users)
    if wanted is None and real is not None:
        passed_over = f"not the torch_xla {real.version} of {real.environment.python}, {needs.misfit(real.version)}"
        return replace(chosen, sentence=f"{chosen.sentence}; {passed_over}")
    return chosen


def choose_real(needs: Needs, users: Interpreter | None) -> Choice | None:
    """The torch_xla of the user's interpreter, if it has one, whether it fits or not."""
    if users is None or users.torch_xla is None:
        return None
    version = users.torch_xla or "of unknown version"
    sentence = f"real torch_xla {version} of {users.python}{needs.sentence(version)}"
    return Choice(Backend.TORCH_XLA, Environment("", users.python), version, sentence)


def choose_oracle(needs: Needs, any_at_all: bool) -> Choice | None:
    """The ready environment that fits best: one with every name. A script that is not known is given the best there is
    a recipe for, a user who asks for an oracle `any_at_all`.
    """
    for place, name in enumerate(needs.oracles):
        environment = find(name)
        if environment is not None and (any_at_all or not needs.misfit(name) or (place == 0 and not needs.exact)):
            version = environment.version
            sentence = f"real torch_xla {version} in an environment of its own{needs.sentence(version)}"
            return Choice(Backend.TORCH_XLA, environment, version, sentence)
    return None


def choose_standin(needs: Needs, users: Interpreter | None) -> Choice:
    """The stand-in, over the user's torch or that of any environment that is ready.

    Raises MigrateError when there is no torch at all.
    """
    ready = (environment for name in RECIPES if (environment := find(name)) is not None)
    environment = Environment("", users.python) if users is not None else next(ready, None)
    if environment is None:
        raise MigrateError(
            "no torch to run scripts with: install torch, name an interpreter that has it with --python, "
            f"or build an environment: tc-migrate smoke --provision {needs.oracles[0]}"
        )
    version = needs.written_for
    torch = f"torch {users.torch} of {users.python}" if users is not None else "the torch of an environment of its own"
    sentence = f"stand-in for torch_xla {version} over {torch}: the same training, nothing of XLA"
    return Choice(Backend.STANDIN, environment, version, sentence)


def distance(wanted: Version, version: Version) -> tuple[int, int]:
    """How far one version is from another; of two equally far the newer is nearer."""
    minors = abs((wanted[0] - version[0]) * 100 + wanted[1] - version[1])
    return minors, -version[1]


@cache
def names_of(target: Target) -> tuple[str, ...]:
    """Every name of torch_xla in the target's idioms, in full."""
    found = set()
    for idiom in filter(target.has, Idiom):
        phrase = target.phrase(idiom)
        for each in phrase.imports:
            if each.module.partition(".")[0] != "torch_xla":
                continue
            if each.name:
                found.add(f"{each.module}.{each.name}")
            else:
                bound = re.escape(each.bound)
                found |= {f"{each.module}.{name}" for name in re.findall(rf"\b{bound}\.(\w+)", phrase.code)}
    return tuple(sorted(name for name in found if api.lookup(name, target.version) is not None))


def parse(version: str) -> Version | None:
    """(2, 9) of "2.9.0+cpu"; None when there is no version in it."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else None


def find_interpreter(python: Path | None) -> Interpreter | None:
    """The user's interpreter that has torch: the one named, or the tool's own, or the first on PATH.

    Raises MigrateError when the one named does not start or has no torch.
    """
    if python is not None:
        named = look(python)
        if named is None:
            raise MigrateError(f"{python} does not start, or has no torch")
        return named
    return next((found for each in own_interpreters() if (found := look(each)) is not None), None)


def own_interpreters() -> Iterator[Path]:
    """The interpreter of this tool, and those on PATH."""
    yield Path(sys.executable)
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found and Path(found) != Path(sys.executable):
            yield Path(found)


@cache
def look(python: Path) -> Interpreter | None:
    """What an interpreter has; None when it does not start or has no torch."""
    try:
        answer = subprocess.run([str(python), "-c", LOOK], capture_output=True, text=True, timeout=60, check=True)
        torch, torch_xla = json.loads(answer.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return Interpreter(python, torch, torch_xla) if torch is not None else None
