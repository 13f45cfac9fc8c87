"""`[tool.tc-migrate]` in a project's pyproject.toml: what the command line would otherwise have to repeat.

[tool.tc-migrate]
target = "torch-xla==2.9"
select = ["device", "TC4"]
ignore = ["TC203"]
safety = "exact"
verify = false
models = "tools/models"
exclude = ["third_party", "*_cpu.py"]

[tool.tc-migrate.per-file-ignores]
"eval/*.py" = ["TC2"]
"""

from __future__ import annotations

import ast
import difflib
import fnmatch
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

from codemods.kit.meaning.libraries import OwnModels, use_models
from codemods.kit.rules import Safety
from codemods.kit.targets import SMTC, Target
from migrate.migration import MigrateError
from migrate.registry import Selection

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

KEYS = ("target", "select", "ignore", "safety", "verify", "models", "exclude", "per-file-ignores")
SAFETIES = (Safety.EXACT, Safety.REVIEW)
"""The levels of edit a user may choose as the highest to apply."""


class ConfigError(MigrateError):
    """A pyproject.toml that cannot be read or says something unknown, or an option that names what does not exist."""


@dataclass(frozen=True)
class Config:
    """The settings of a project; of none, when no pyproject.toml has the table."""

    folder: Path | None = None
    """Where the pyproject.toml is: patterns are relative to it."""
    target: str | None = None
    select: tuple[str, ...] = ()
    """Codemod names, rule ids or prefixes of rule ids; `ignore` likewise."""
    ignore: tuple[str, ...] = ()
    safety: Safety | None = None
    verify: bool = True
    """Whether what is migrated is judged."""
    models: Path | None = None
    """A folder of Python files that say what libraries of the user's own do; they come before ours."""
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self) -> None:
        """Raises ConfigError, which names the file, for a target, codemod or rule that does not exist."""
        per_file = {f"per-file-ignores of {pattern!r}": names for pattern, names in self.per_file_ignores.items()}
        target = SMTC.name if self.target is None else self.target
        checks: list[tuple[str, Callable[[], object]]] = [("target", lambda: Target.parse(target))]
        for key, names in {"select": self.select, "ignore": self.ignore, **per_file}.items():
            checks.append((key, partial(Selection, ignore=frozenset(names))))
        for key, check in checks:
            try:
                check()
            except ValueError as error:
                raise ConfigError(f"{self.file}: {key}: {error}") from error

    @property
    def file(self) -> Path:
        """The pyproject.toml."""
        return Path(self.folder or "", "pyproject.toml")

    def use_models(self) -> None:
        """Have the user's models, or none, be those that programs are understood with. Raises ConfigError."""
        use_models(None if self.models is None else _read_models(self.models, self.file))

    def excludes(self, path: Path) -> bool:
        """Whether a file or folder is left out when a folder above it is given."""
        if self.models is not None and Path(os.path.realpath(path)).is_relative_to(self.models):
            return True  # a model says what a library does, and is no part of it
        inside = self._inside(path) if self.exclude else None
        return inside is not None and any(matches(inside, pattern) for pattern in self.exclude)

    def ignored_in(self, path: Path) -> frozenset[str]:
        """What `per-file-ignores` turns off in this file."""
        inside = self._inside(path) if self.per_file_ignores else None
        if inside is None:
            return frozenset()
        found = (names for pattern, names in self.per_file_ignores.items() if matches(inside, pattern))
        return frozenset(name for names in found for name in names)

    def _inside(self, path: Path) -> str | None:
        """Where a path leads, from the project's folder, `/` between the parts; None when that is not below it."""
        if self.folder is None:
            return None
        if os.path.islink(path) or path.name in ("", ".."):
            real = os.path.realpath(path)
        else:
            # Thousands of files lie in some folders: each folder is resolved once.
            parent = str(path.parent)
            if parent not in self._resolved:
                self._resolved[parent] = os.path.realpath(parent)
            real = os.path.join(self._resolved[parent], path.name)
        top = os.path.join(self.folder, "")
        return real[len(top) :].replace(os.sep, "/") if real.startswith(top) else None

    @cached_property
    def _resolved(self) -> dict[str, str]:
        return {}


def matches(inside: str, pattern: str) -> bool:
    """A pattern with `/` is matched from the project's folder, one without against every part of the path."""
    pattern = pattern.removeprefix("./").rstrip("/")
    parts = inside.split("/")
    if "/" not in pattern:
        return any(fnmatch.fnmatchcase(part, pattern) for part in parts)
    above = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
    return any(fnmatch.fnmatchcase(place, pattern) for place in above)


def load_config(start: Path) -> Config:
    """The settings for the file or folder `start`: the nearest pyproject.toml at or above it that has our table.

    The search ends at a folder with `.git`. Raises ConfigError.
    """
    place = Path(os.path.realpath(start))  # resolve() raises in a circle of links
    for folder in (place, *place.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            table = _read_table(file)
            if table is not None:
                return _config(table, file)
        if (folder / ".git").exists():
            break
    return Config()


def settle(
    config: Config,
    *,
    target: str | None = None,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    safety: str | None = None,
    path: Path | None = None,
) -> tuple[Target, Selection]:
    """The target and the selection: what the user says, else the configuration, else the defaults.

    With `path`: for that file, whose `per-file-ignores` count. Raises ConfigError for a name that does not exist.
    """
    config.check()
    try:
        said = target if target is not None else config.target
        chosen = Target.parse(SMTC.name if said is None else said)
        highest = Safety(safety) if safety else config.safety or Safety.REVIEW
        ignored = frozenset(ignore or config.ignore) | (config.ignored_in(path) if path else frozenset())
        return chosen, Selection(frozenset(select or config.select), ignored, highest)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _read_table(file: Path) -> Mapping[str, Any] | None:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from error
    tool = document.get("tool")
    table = tool.get("tc-migrate") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{file}: [tool.tc-migrate] is not a table")
    return table


def _config(table: Mapping[str, Any], file: Path) -> Config:
    for key in table:
        if key not in KEYS:
            nearest = difflib.get_close_matches(key.lower().replace("_", "-"), KEYS, n=1, cutoff=0.0)[0]
            raise ConfigError(f"{file}: unknown key {key!r} in [tool.tc-migrate]; the nearest is {nearest!r}")
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise ConfigError(f"{file}: per-file-ignores is not a table of patterns")
    return Config(
        folder=file.parent,
        target=_read_text(table, "target", file),
        select=_read_names(table, "select", file),
        ignore=_read_names(table, "ignore", file),
        safety=_read_safety(table, file),
        verify=_read_flag(table, "verify", file),
        models=_read_folder(table, "models", file),
        exclude=_read_names(table, "exclude", file),
        per_file_ignores={pattern: _read_names(per_file, pattern, file) for pattern in per_file},
    )


def _read_text(table: Mapping[str, Any], key: str, file: Path) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"{file}: {key} is not a string")
    return value


def _read_folder(table: Mapping[str, Any], key: str, file: Path) -> Path | None:
    value = _read_text(table, key, file)
    if value is None:
        return None
    folder = Path(os.path.realpath(file.parent / value))
    if not folder.is_relative_to(os.path.realpath(file.parent)):
        raise ConfigError(f"{file}: {key} leads out of the project")
    return folder


def _read_models(folder: Path, file: Path) -> OwnModels:
    if not folder.is_dir():
        raise ConfigError(f"{file}: models: {folder} is no folder")
    found = blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        try:
            data = path.read_bytes()
            ast.parse(data, str(path))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ConfigError(f"{file}: models: {path}: {error}") from error
        found.update(b"%s\0%d\0%s" % (os.fsencode(path), len(data), data))
    return OwnModels(folder, found.hexdigest())


def _read_flag(table: Mapping[str, Any], key: str, file: Path) -> bool:
    value = table.get(key, True)
    if not isinstance(value, bool):
        raise ConfigError(f"{file}: {key} is not true or false")
    return value


def _read_names(table: Mapping[str, Any], key: str, file: Path) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{file}: {key} is not a list of strings")
    return tuple(value)


def _read_safety(table: Mapping[str, Any], file: Path) -> Safety | None:
    text = _read_text(table, "safety", file)
    known = {safety.value: safety for safety in SAFETIES}
    if text is not None and text not in known:
        raise ConfigError(f"{file}: safety is not one of {', '.join(known)}")
    return None if text is None else known[text]
