"""Scripts of the Python 2 era made parseable: print statements, `except X, e`, `.cuda(async=True)`, mixed tabs.

Only what keeps Python 3 from reading the text is changed, and what Python 3 no longer has by that name (`xrange`,
`iteritems`). Line numbers stay: every fix is made within its line. Bowler runs the fixers of 2to3, from fissix.
"""

from __future__ import annotations

import ast
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from io import StringIO
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bowler.tool import BowlerTool

Fixed = tuple[str, tuple[str, ...]]
"""A text, and what was done to it, in words."""

_FIXERS = {
    "print": "print statements", "except": "except clauses", "raise": "raise statements", "exec": "exec statements",
    "has_key": "has_key()", "numliterals": "number literals", "repr": "backquotes", "ne": "the operator <>",
}  # fmt: skip
_RENAMED = {"xrange": "range", "iteritems": "items", "itervalues": "values", "iterkeys": "keys", "raw_input": "input"}
_MOVES = frozenset(("cuda", "to", "copy_", "type"))
"""Methods of tensors whose keyword `async` was renamed `non_blocking` in torch 0.4.1."""
_TAB = 8
"""Python 2 read a tab as the way to the next multiple of eight columns."""


def modernise(source: str) -> Fixed:
    """A text that Python 3 cannot parse, so that it can, and what was done; the text as it is and no words when it
    parses already or nothing helps. Never raises."""
    if _trouble(source) is None:
        return source, ()
    text = source
    fixes: tuple[str, ...] = ()
    for fix in (_expand_tabs, _rename_async, _fix_syntax, _fix_prints, _expand_tabs):
        trouble = _trouble(text)
        if trouble is None:
            break
        if fix is _expand_tabs and not isinstance(trouble, TabError):
            continue
        text, done = _attempt(fix, text)
        fixes = (*fixes, *done)
    same_lines = text.count("\n") == source.count("\n")
    return (text, fixes) if _trouble(text) is None and same_lines else (source, ())


def _trouble(text: str) -> Exception | None:
    """Why Python 3 cannot parse a text, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return error
    return None


def _attempt(fix: Callable[[str], Fixed], text: str) -> Fixed:
    try:
        return fix(text)
    except Exception:  # fissix raises errors of many kinds on text that is no Python of any version
        return text, ()


# --- what needs no grammar ------------------------------------------------------------------------------------------


def _expand_tabs(text: str) -> Fixed:
    """Spaces for tabs in the indentation, as wide as Python 2 took them; not inside strings of several lines."""
    from fissix.pgen2.token import STRING

    lines = _lines(text)
    inside = {row for kind, _, start, end in _tokens(text) if kind == STRING for row in range(start[0] + 1, end[0] + 1)}
    for index, line in enumerate(lines):
        body = line.lstrip(" \t")
        if index + 1 not in inside:
            lines[index] = line[: len(line) - len(body)].expandtabs(_TAB) + body
    return "".join(lines), ("tabs in the indentation",)


def _rename_async(text: str) -> Fixed:
    """`x.cuda(async=True)` -> `x.cuda(non_blocking=True)`: `async` has been a keyword since Python 3.7."""
    if "async" not in text:
        return text, ()
    places: list[tuple[tuple[int, int], str, str]] = []
    called: list[str] = []
    tokens = [token for token in _tokens(text) if token[1].strip()]
    for before, (_, word, start, _), after in zip([(0, "", (0, 0), (0, 0)), *tokens], tokens, tokens[1:], strict=False):
        if word in "([{":
            called.append(before[1])
        elif word in ")]}" and called:
            called.pop()
        elif word == "async" and after[1] == "=" and called and called[-1] in _MOVES:
            places.append((start, word, "non_blocking"))
    return _replaced(text, places), ("async= as a keyword argument",) if places else ()


def _rename_builtins(text: str) -> Fixed:
    """`xrange(n)` and `d.iteritems()` under the names Python 3 has."""
    tokens = [token for token in _tokens(text) if token[1].strip()]
    places = [
        (token[2], token[1], _RENAMED[token[1]])
        for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False)
        if token[1] in _RENAMED
        and after[1] == "("
        and before[1] != "def"
        and (before[1] == ".") == token[1].startswith("iter")
    ]
    defined = {word for word in _RENAMED if re.search(rf"\bdef {word}\b", text)}
    places = [place for place in places if place[1] not in defined]
    return _replaced(text, places), tuple(dict.fromkeys(f"{old}()" for _, old, _ in places))


def _replaced(text: str, places: list[tuple[tuple[int, int], str, str]]) -> str:
    lines = _lines(text)
    for (row, column), old, new in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _tokens(text: str) -> Iterator[tuple[int, str, tuple[int, int], tuple[int, int]]]:
    """Kind, text, start and end of each token; fissix's tokenizer also reads Python 2."""
    from fissix.pgen2 import tokenize

    for kind, word, start, end, _ in tokenize.generate_tokens(StringIO(text).readline):
        yield kind, word, start, end


def _lines(text: str) -> list[str]:
    """The lines as the tokenizer counts them."""
    return StringIO(text).readlines()


# --- what does ------------------------------------------------------------------------------------------------------


def _fix_syntax(text: str) -> Fixed:
    """The fixers on a text whose prints are calls; it does not parse so when one is a statement."""
    return _refactored(text, print_function=True)


def _fix_prints(text: str) -> Fixed:
    """The fixers on a text with print statements."""
    return _refactored(text, print_function=False)


def _refactored(text: str, *, print_function: bool) -> Fixed:
    used: list[str] = []
    tool = _tool(used, print_function)
    ended = text.endswith("\n")
    found = str(tool.refactor_string(text if ended else text + "\n", "script"))
    found = found if ended else found.removesuffix("\n")
    if _trouble(found) is None or isinstance(_trouble(found), TabError):
        found, renamed = _rename_builtins(found)
        return found, (*(_FIXERS[name] for name in _FIXERS if name in used), *renamed)
    return text, ()


def _tool(used: list[str], print_function: bool) -> BowlerTool:
    """Bowler with the fixers of this file; the names of those that change something are added to `used`."""
    logging.getLogger("RefactoringTool").addHandler(logging.NullHandler())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lib2to3's heirs announce their end at import
        from bowler.tool import BowlerTool

    names = [name for name in _FIXERS if not (print_function and name == "print")]
    fixers = [_fixer(import_module(f"fissix.fixes.fix_{name}")) for name in names]

    class Quiet(BowlerTool):  # type: ignore[misc]
        def __init__(self) -> None:
            # Bowler's own would also make queues for processes, which a worker that is shut in may not.
            super(BowlerTool, self).__init__(fixers, {"print_function": print_function})

        def log_error(self, msg: str, *args: object, **kwds: object) -> None:
            raise ValueError(msg)

        def log_message(self, msg: str, *args: object) -> None:
            return

        def log_debug(self, msg: str, *args: object) -> None:
            return

    tool = Quiet()
    for fixer in chain(tool.pre_order, tool.post_order):
        fixer.transform = _watched(fixer.transform, type(fixer).__module__.rpartition("fix_")[2], used)
    return tool


def _fixer(module: ModuleType) -> type:
    """The class of a fixer's module."""
    (found,) = (
        each for name, each in vars(module).items() if name.startswith("Fix") and each.__module__ == module.__name__
    )
    assert isinstance(found, type)
    return found


def _watched(transform: Callable[..., Any], name: str, used: list[str]) -> Callable[..., Any]:
    def watched(node: Any, results: Any) -> Any:
        before = str(node)
        new = transform(node, results)
        if str(node if new is None else new) != before:
            used.append(name)
        return new

    return watched
