"""`.github/tc-migrate.yml`: what the owners of a repository want of the bot.

It is read from the branch that is migrated, never from the head of somebody's pull request.

enabled: true
mode: pr
target: torch-xla==2.9
exclude: [third_party, "*_cpu.py"]
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema

from codemods.kit.rules import Safety
from codemods.kit.targets import SMTC, Target
from migrate.bot.git.remote import GitError
from migrate.bot.git.store import Store
from migrate.bot.marked_yaml import Marked, YamlError, parse
from migrate.config import matches
from migrate.migration import MigrateError
from migrate.registry import ALL, Selection, check_word

PATH = ".github/tc-migrate.yml"


class SettingsError(MigrateError):
    """Settings that cannot be followed. Nothing is done in the repository until they are mended."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"{PATH}:{line}: {message}")
        self.line, self.message = line, message
        """Where, 1-based, and what: for an annotation of the file. The message may quote it."""


@dataclass(frozen=True)
class Settings:
    """What is wanted; without a file, the defaults."""

    enabled: bool = True
    mode: str = "check"
    """`check`: a check run; `pr`: a pull request as well."""
    draft: bool = False
    labels: tuple[str, ...] = ("tc-migrate",)
    target: Target = SMTC
    selection: Selection = ALL
    """Of files that no pattern of `per_file_ignores` is of."""
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, frozenset[str]] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    """What of it was asked for in comments (`migrate.bot.left_out`)."""
    verify: bool = True
    """Whether what is migrated is judged."""
    fork: bool = False
    """Whether a fork is worked on, too."""

    def excludes(self, path: str) -> bool:
        """Whether a file is left alone, by its path in the repository."""
        return any(matches(path, pattern) for pattern in self.exclude)

    def select(self, path: str) -> Selection:
        """Which edits are wanted in a file."""
        patterns = self.per_file_ignores.items()
        ignored = [names for pattern, names in patterns if matches(path, pattern)]
        if not ignored:
            return self.selection
        return Selection(self.selection.select, self.selection.ignore.union(*ignored), self.selection.safety)


@cache
def settings_schema() -> dict[str, Any]:
    """The JSON Schema of the file, for editors too."""
    return dict(json.loads(files("migrate.bot").joinpath("settings.schema.json").read_text(encoding="utf-8")))


def read_settings(store: Store, base: str) -> Settings:
    """The settings in a commit of the branch that is migrated, or the defaults. Raises as `find_settings`."""
    return find_settings(store, base) or Settings()


def find_settings(store: Store, base: str) -> Settings | None:
    """The settings in a commit; None without the file. Raises SettingsError, and GitError for git's trouble."""
    try:
        data = store.read_file(base, PATH)
    except GitError as error:
        raise SettingsError(1, str(error)) from error
    return None if data is None else parse_settings(data)


def parse_settings(data: bytes) -> Settings:
    """The settings in a file's bytes. Raises SettingsError with the line of the first thing that is wrong."""
    try:
        document = parse(data)
    except YamlError as error:
        raise SettingsError(error.line, str(error)) from error
    if document.value is None:
        return Settings()
    errors = jsonschema.Draft7Validator(settings_schema()).iter_errors(document.value)
    found = sorted((_trouble(error, document) for error in errors), key=lambda each: each.line)
    if found:
        raise found[0]
    return _settings(document)


def _settings(document: Marked) -> Settings:
    value = document.value
    try:
        target = Target.parse(value.get("target", SMTC.name))
    except ValueError as error:
        raise SettingsError(document.line(("target",)), str(error)) from error
    select, ignore = (_names(document, (key,), value.get(key, [])) for key in ("select", "ignore"))
    per_file = {
        pattern: _names(document, ("per-file-ignores", pattern), names)
        for pattern, names in value.get("per-file-ignores", {}).items()
    }
    default = Settings()
    return Settings(
        enabled=value.get("enabled", default.enabled),
        fork=value.get("fork", default.fork),
        mode=value.get("mode", default.mode),
        draft=value.get("draft", default.draft),
        labels=tuple(value.get("labels", default.labels)),
        target=target,
        selection=Selection(select, ignore, Safety(value.get("safety", Safety.REVIEW.value))),
        verify=value.get("verify", default.verify),
        exclude=tuple(value.get("exclude", ())),
        per_file_ignores=per_file,
    )


def _names(document: Marked, path: tuple[str, ...], names: list[str]) -> frozenset[str]:
    """Names of codemods and rules, each of which there is."""
    for index, name in enumerate(names):
        try:
            check_word(name)
        except ValueError as error:
            raise SettingsError(document.line((*path, index)), str(error)) from error
    return frozenset(names)


def _trouble(error: jsonschema.ValidationError, document: Marked) -> SettingsError:
    """What the schema finds, in words and at its line."""
    path, expected = tuple(error.absolute_path), error.validator_value
    where = ".".join(map(str, path)) or "the file"
    known = list(settings_schema()["properties"])
    if error.validator == "additionalProperties":
        key = next(key for key in document.value if key not in known)
        nearest = difflib.get_close_matches(key, known, 1, 0.0)[0]
        return SettingsError(document.line((*path, key)), f"there is no {key[:50]!r}; the nearest is {nearest!r}")
    if error.validator == "enum" and isinstance(expected, list):
        return SettingsError(document.line(path), f"{where} is one of {', '.join(expected)}")
    if error.validator == "type":
        return SettingsError(document.line(path), f"{where} is not of type {expected}")
    return SettingsError(document.line(path), f"{where}: {error.message[:200]}")
