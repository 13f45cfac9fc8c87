"""GitHub's runner as far as a step's output goes: which lines it takes for commands, and what it makes of them.

Written after `ActionCommand.cs`, `ActionCommandManager.cs` and `FileCommandManager.cs` of actions/runner (2026-08).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

COMMANDS = """add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env
set-output stop-commands warning""".split()
SHOWN = 10
"""Annotations of a level that are shown of one step."""


@dataclass(frozen=True)
class Command:
    """One that was obeyed."""

    name: str
    properties: dict[str, str]
    data: str


@dataclass
class Log:
    """What the runner made of an output."""

    commands: list[Command] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    """What is only shown."""
    is_stopped: bool = False
    """Whether commands are stopped at the end."""

    def annotations(self, level: str) -> list[Command]:
        """Those that people see."""
        return [command for command in self.commands if command.name == level][:SHOWN]


def read(output: bytes) -> Log:
    """Take the commands out of what a step has printed."""
    log, token = Log(), ""
    for line in re.split("\r\n|\r|\n", output.decode("utf-8", "replace")):
        known = {*COMMANDS, *([token] if token else [])}
        command = _parse_new(line, known) or _parse_old(line, known)
        if command is None or (token and command.name != token):
            log.lines.append(line)
        elif command.name == token:
            token = ""
        elif command.name == "stop-commands":
            token = command.data
        else:
            log.commands.append(command)
    log.is_stopped = bool(token)
    return log


def _parse_new(line: str, known: set[str]) -> Command | None:
    """`::name key=value,key=value::data`."""
    line = line.lstrip()
    if not line.startswith("::") or "::" not in line[2:]:
        return None
    head, _, data = line[2:].partition("::")
    name, _, properties = head.partition(" ")
    if name not in known:
        return None
    return Command(name, _split(properties.strip(), ",", ":,"), _decode(data, ""))


def _parse_old(line: str, known: set[str]) -> Command | None:
    """`##[name key=value;key=value]data`, anywhere in a line."""
    _, found, rest = line.partition("##[")
    head, closed, data = rest.partition("]")
    name, _, properties = head.partition(" ")
    if not found or not closed or name not in known:
        return None
    return Command(name, _split(properties, ";", ";]"), _decode(data, ";]"))


def _split(text: str, separator: str, special: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in text.split(separator))
    return {name: _decode(value, special) for name, equals, value in pairs if equals and value}


def _decode(text: str, special: str) -> str:
    for char in ("\r", "\n", *special, "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text


def read_outputs(text: str) -> dict[str, str]:
    """The file `$GITHUB_OUTPUT`, as long as each value is one line."""
    return dict(line.split("=", 1) for line in text.splitlines())
