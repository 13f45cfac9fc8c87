"""What only IPython understands, and what stands for it while a cell is read as Python.

`%matplotlib inline`, `!pip install x`, `files = !ls`, `model?` and cells such as `%%bash` are no Python. Each such line
gives way to a name that is bound nowhere, with the line as its comment, so that lines keep their numbers and the
codemod `notebook` can speak of them. Afterwards the line is put back as it was.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from codemods.kit.cell_marks import BROKEN, MAGIC, RESERVED

_CELL_MAGIC = re.compile(r"\s*%%(\w+)[ \t]*(.*)")
_RUNS_PYTHON = frozenset(("time", "timeit", "capture", "prun", "memit", "debug", "wandb", "snakeviz"))
"""Cell magics that run their cell as Python, here and now."""
_WRITES = frozenset(("writefile", "file"))
_LINE_MAGIC = re.compile(r"[ \t]*(?:[%!]|\?{1,2}[\w%*]|[,;/][A-Za-z_])")
_HELP = re.compile(r"[ \t]*%{0,2}[A-Za-z_*][\w.*]*\?{1,2}[ \t]*$")
_ASSIGNED = re.compile(r"(?P<kept>[ \t]*[A-Za-z_][\w.,\[\]'\"() \t*]*=[ \t]*)(?P<magic>[%!][^ \t=].*)")
_TIMED = re.compile(r"[ \t]*(?P<magic>%time[ \t]+)(?P<code>[^-\s].*)")
_AUTOMATIC = re.compile(r"[ \t]*(?:pip3?|conda|mamba|cd|ls|cat|cp|mv|mkdir|rm|rmdir|pwd|matplotlib)[ \t]+[^=\s(.]")
"""What IPython takes for a magic without its `%`."""
_UNSEEN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")
_NAME = re.compile(rf"{MAGIC}\d+_")
_TOKEN = re.compile(r"""#.*|\"{3}|'{3}|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()\[\]{}]""")


def parses(code: str) -> bool:
    """Whether Python reads it."""
    return not trouble(code)


def trouble(code: str) -> str:
    """Why Python does not read it, in a few words; empty when it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except SyntaxError as error:
        return f"{error.msg} (line {error.lineno})"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or "nested too deeply"
    return ""


def cell_magic(source: str) -> tuple[str, str]:
    """The name and the words behind it of the magic that a cell begins with: `%%writefile train.py`."""
    match = _CELL_MAGIC.match(source)
    return (match[1], match[2].strip()) if match is not None else ("", "")


def is_python(source: str) -> bool:
    """Whether a cell is Python that runs here: it begins with no magic, or with one that only watches it."""
    name, _ = cell_magic(source)
    return not name or name in _RUNS_PYTHON


def written_script(source: str) -> tuple[str, str] | None:
    """The path and the text of the Python file that a cell writes as a whole (`%%writefile train.py`)."""
    name, words = cell_magic(source)
    path = words.strip("\"'")
    if name not in _WRITES or not path.endswith(".py") or path.startswith("-"):
        return None
    return path, source[source.index("%%") :].partition("\n")[2]


@dataclass
class Masks:
    """The names that stand for something in the cells of a notebook, and what they stand for."""

    timed: bool = True
    """Whether the Python behind `%time` is read."""
    originals: dict[str, str] = field(default_factory=dict)
    prefixes: set[str] = field(default_factory=set)
    """Those that stand for a `%time`, with the Python behind it on the same line."""

    def mask(self, source: str) -> str:
        """A cell as Python, line by line. What still does not parse is none."""
        if parses(source):
            return source
        masked = "\n".join(self._lines(source, automatic=False))
        return masked if parses(masked) else "\n".join(self._lines(source, automatic=True))

    def opaque(self, source: str) -> str:
        """A cell that is no Python at all."""
        return "\n".join(self._stand_in(line) if line.strip() else "" for line in source.split("\n"))

    def broken(self, source: str, reason: str) -> str:
        """A cell that does not parse."""
        return self._stand_in(reason, BROKEN) + "\n" * source.count("\n")

    def restore(self, cell: str, masked: str) -> str | None:
        """An edited cell with what stood there before it was masked; None when something of that is gone, is in
        another order or has another form. Only what stands in a block may go: with its branch, which never runs."""
        names, before = _NAME.findall(cell), _NAME.findall(masked)
        stay = [name for name in before if not re.search(rf"^[ \t].*{name}", masked, re.MULTILINE)]
        if names != [name for name in before if name in names] or not set(stay).issubset(names):
            return None
        for name in names:
            original = self.originals[name]
            is_prefix = name in self.prefixes
            found = f"{name}; " if is_prefix else self._line(name)
            if cell.count(found) != 1 or (is_prefix and not re.search(rf"{name}; \S", cell)):
                return None
            cell = cell.replace(found, original)
        return None if RESERVED in cell else cell

    def _lines(self, source: str, automatic: bool) -> Iterator[str]:
        open_brackets = _Open()
        within: str | None = None  # the indentation of the magic that this line goes on with
        for whole in source.split("\n"):
            line = whole.removesuffix("\r")
            end = whole[len(line) :]
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            masked = None
            if within is not None:
                masked = within + self._stand_in(line.removeprefix(within))
            elif not open_brackets:
                masked = self._magic(line, indent, automatic)
            if masked is None:
                open_brackets.read(line)
                yield whole
                continue
            within = (indent if within is None else within) if line.endswith("\\") else None
            yield masked + end

    def _magic(self, line: str, indent: str, automatic: bool) -> str | None:
        """A line with names in the place of what only IPython understands; None when it is Python."""
        timed = _TIMED.fullmatch(line) if self.timed else None
        if timed is not None and parses(timed["code"]):
            name = self._name(timed["magic"])
            self.prefixes.add(name)
            return f"{indent}{name}; {timed['code']}"
        if _LINE_MAGIC.match(line) or _HELP.match(line) or (automatic and _AUTOMATIC.match(line)):
            return indent + self._stand_in(line[len(indent) :])
        assigned = _ASSIGNED.fullmatch(line)
        return assigned["kept"] + self._stand_in(assigned["magic"]) if assigned is not None else None

    def _name(self, original: str, kind: str = MAGIC) -> str:
        name = f"{kind}{len(self.originals) + 1}_"
        self.originals[name] = original
        return name

    def _stand_in(self, original: str, kind: str = MAGIC) -> str:
        return self._line(self._name(original, kind))

    def _line(self, name: str) -> str:
        return f"{name}  # {_UNSEEN.sub(' ', self.originals[name])}".rstrip()


class _Open:
    """Whether a line of Python goes on in the next one: inside a bracket or a string, or behind a backslash."""

    def __init__(self) -> None:
        self._depth = 0
        self._quotes = ""
        self._continued = False

    def __bool__(self) -> bool:
        return self._depth > 0 or bool(self._quotes) or self._continued

    def read(self, line: str) -> None:
        """Take in the next line."""
        at = 0
        if self._quotes:
            at = self._closed(line, 0)
        while at >= 0:
            token = _TOKEN.search(line, at)
            if token is None:
                break
            at = token.end()
            if token[0] in ('"""', "'''"):
                self._quotes = token[0]
                at = self._closed(line, at)
            elif token[0] in "([{":
                self._depth += 1
            elif token[0] in ")]}":
                self._depth = max(0, self._depth - 1)
        self._continued = not self._quotes and line.endswith("\\")

    def _closed(self, line: str, at: int) -> int:
        """Where the string that is open ends in the line; -1 when it goes on."""
        match = re.compile(rf"(?:\\.|[^\\])*?{self._quotes}").match(line, at)
        if match is None:
            return -1
        self._quotes = ""
        return match.end()
