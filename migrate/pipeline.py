"""One script, migrated: parsed once, read once, every codemod's edits made in one rebuild. Pure and never raising."""

from __future__ import annotations

import ast
import gc
import re
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

import libcst as cst

from codemods.kit import flows
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edits
from codemods.kit.job_facts import runs_here
from codemods.kit.links import ALONE, Links
from codemods.kit.rules import Rule, Stage
from codemods.kit.script import Script, read
from codemods.kit.statement_lines import statement_lines
from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from codemods.kit.text import text_of
from migrate.migration import Migration, Status
from migrate.modernise import modernise
from migrate.registry import ALL, Selection, codemods
from migrate.suppress import read_suppressions

MAX_CHARACTERS = 2_000_000
"""Longer sources are generated data, not training scripts."""
MAX_DEPTH = 200
"""LibCST's native parser recurses; `ast` accepts deeper nesting than it survives."""
_UNPARSED = "does not parse"
_NO_ACCELERATOR = "asks for no accelerator"
_TOO_DEEP = "nested too deeply"
_DOTTED = frozenset({"name", "module"})
"""The fields of `ast` that hold dotted names: of an alias and of an ImportFrom."""
_BOM = "\ufeff"
_LONE_CR = re.compile(r"\r(?!\n)")


@contextmanager
def garbage_left() -> Iterator[None]:
    """Python's garbage collector rests: a tree in the making is not garbage, and looking for it costs a tenth."""
    runs = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if runs:
            gc.enable()


class Prepared:
    """A script that is parsed and indexed once: for its summary, and for its migration with what came of it."""

    @garbage_left()
    def __init__(self, source: str) -> None:
        self.original = self.source = source.lstrip(_BOM)
        self._marks = source[: len(source) - len(self.original)]
        self._fixes: tuple[str, ...] = ()
        self._begins, self.reason = _gate(self.source)
        if self.reason.startswith(_UNPARSED) and "torch" in source:
            modern, fixes = modernise(self.source)
            begins, still = _gate(modern) if fixes else ([], self.reason)
            if not still:
                self.source, self._fixes, self._begins, self.reason = modern, fixes, begins, ""

    @cached_property
    def script(self) -> Script:
        """Its facts, as it is by itself. Raises what LibCST raises, which is stricter than `ast` in a few places."""
        return read(cst.parse_module(self.source), self.source, self._begins, self._fixes)

    @garbage_left()
    def summarise(self) -> Summary | None:
        """What it tells the other files of its project; None when it cannot be parsed."""
        if self.reason:
            return None
        try:
            return flows.summarise(self.script)
        except Exception:  # whatever is wrong with the file, its migration says it
            return None

    @garbage_left()
    def migrate(self, *, path: str = "-", target: Target, select: Selection = ALL, links: Links = ALONE) -> Migration:
        """Migrate it. Whatever happens is in the result; nothing is raised. The facts are given up: a second migration
        reads the script again."""
        left = Migration(path, target.name, Status.UNCHANGED, self.original, self.original)
        found = self._migrate(left, target, select, links)
        script = self.__dict__.pop("script", None)
        if script is not None:
            script.let_go()
        if not self._marks:
            return found
        return replace(found, source=self._marks + found.source, result=self._marks + found.result)

    def _migrate(self, left: Migration, target: Target, select: Selection, links: Links) -> Migration:
        """`left`: the result when nothing is done."""
        if self.reason:
            return replace(left, status=Status.SKIPPED, reason=self.reason)
        suppressions = read_suppressions(self.original)
        if suppressions.file_off:
            return replace(left, reason="switched off by a comment")
        try:
            if links.meaning is None:
                from migrate.engine.originals import by_itself  # loaded where there is something to migrate

                links = replace(links, meaning=by_itself(self.source, left.path).meaning)
            script = self.script.linked(links)
        except RecursionError:  # hundreds of strings side by side, which are one node in `ast`
            return replace(left, status=Status.SKIPPED, reason=_TOO_DEEP)
        except Exception as error:
            first = str(error).strip().splitlines()
            return replace(left, status=Status.SKIPPED, reason=f"libcst: {first[0] if first else error!r}")
        if "\x0c" in self.source and text_of(script.module) != self.source:
            return replace(left, status=Status.SKIPPED, reason="has a form feed before code, which LibCST would drop")

        def allows(rule: Rule, codemod: str, line: int) -> bool:
            return select.allows(rule, codemod) and not suppressions.covers(rule.id, line)

        try:
            edits = Edits(script, target, allows, left.path)
        except Exception as error:
            return _failed(left, "the facts", error)
        try:
            return _run(script, edits, replace(left, result=self.source), everything=not select.select)
        finally:
            edits.let_go()
            script.let_go()


def migrate(
    source: str, *, path: str = "-", target: Target, select: Selection = ALL, links: Links = ALONE
) -> Migration:
    """Migrate the text of one script for one target. Whatever happens is in the result; nothing is raised.

    `links` is what the other files of its project say about it.
    """
    return Prepared(source).migrate(path=path, target=target, select=select, links=links)


def summarise(source: str) -> Summary | None:
    """What a script tells the other files of its project; None when it cannot be parsed."""
    return Prepared(source).summarise()


def _run(script: Script, edits: Edits, migration: Migration, *, everything: bool) -> Migration:
    """Every codemod that serves the target, then the one rebuild. `everything`: no codemod is selected by its name."""
    asked: list[Codemod] = []
    try:
        local = runs_here(script, edits.target, migration.path)
        aside = everything and script.uses_torch and (script.on_cpu or local)
        by_all = bool(script.estimators or script.links.parallel)
        if aside and not by_all and not script.links.accelerated:
            return replace(migration, reason=_NO_ACCELERATOR)
    except Exception as error:
        return _failed(migration, "the facts", error)
    for codemod in codemods():
        try:
            if aside and codemod.STAGE is not Stage.JOB and not codemod.EVERYWHERE and not (by_all and codemod.BY_ALL):
                continue  # the script is not to be moved to the accelerator, but what it launches is
            if codemod.serves(edits.target) and codemod.suits(script):
                asked.append(codemod(script, edits))
                asked[-1].rewrite()
        except Exception as error:
            return _failed(migration, f"codemod {codemod.name()}", error)
        if edits.refused is not None:
            return _refused(migration, edits, *edits.refused)
    try:
        module = edits.apply() if edits.changes else script.module
        result = text_of(module) if edits.changes else migration.result
        if result != migration.source:
            _compile(result, script)
        for each in asked:
            each.review(module, result)
    except RecursionError:
        return replace(migration, status=Status.SKIPPED, result=migration.source, reason=_TOO_DEEP)
    except Exception as error:
        return _failed(migration, "the rewritten script", error)
    changed = result != migration.source
    if aside and not changed and not edits.notes and not script.estimators:
        return replace(migration, reason=_NO_ACCELERATOR)
    return Migration(
        migration.path,
        migration.target,
        Status.MIGRATED if changed else Status.UNCHANGED,
        migration.source,
        result,
        tuple(sorted(edits.changes, key=lambda change: (change.line, change.rule))),
        tuple(sorted(edits.notes, key=lambda note: (note.line, note.rule))),
    )


def _refused(migration: Migration, edits: Edits, codemod: str, reason: str) -> Migration:
    notes = sorted((note for note in edits.notes if note.codemod == codemod), key=lambda note: (note.line, note.rule))
    return Migration(
        migration.path,
        migration.target,
        Status.REFUSED,
        migration.source,
        migration.source,
        notes=tuple(notes),
        reason=reason,
    )


def _failed(migration: Migration, who: str, error: Exception) -> Migration:
    return Migration(
        migration.path,
        migration.target,
        Status.FAILED,
        migration.source,
        migration.source,
        reason=f"{who}: {type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
    )


def _gate(source: str) -> tuple[list[tuple[int, bool]], str]:
    """Where the statements of a text begin, see `statement_lines`; or why it cannot be parsed safely."""
    if len(source) > MAX_CHARACTERS:
        return [], f"larger than {MAX_CHARACTERS:,} characters"
    if "\0" in source:
        return [], "contains a NUL byte"
    if "\r" in source and _LONE_CR.search(source):
        return [], "has lines that end in a lone CR, which LibCST does not read: make it LF"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        return [], f"{_UNPARSED}: {error.msg} (line {error.lineno})"
    except (RecursionError, MemoryError):  # which of them, and how deep, depends on the version of Python
        return [], _TOO_DEEP
    except ValueError as error:
        return [], f"{_UNPARSED}: {error}"
    return ([], _TOO_DEEP) if _nests_deeply(tree) else (statement_lines(tree), "")


def _nests_deeply(tree: ast.AST) -> bool:
    depth = 0
    level: list[ast.AST] = [tree]
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return True
        # A level takes a character at least: most expressions are too short to be deep.
        short = (MAX_DEPTH - depth) // 2
        level = [child for node in level for child in _below(node) if not _is_short(child, short)]
    return False


def _is_short(node: ast.AST, characters: int) -> bool:
    if not isinstance(node, ast.expr) or node.end_col_offset is None:
        return False
    return node.end_lineno == node.lineno and node.end_col_offset - node.col_offset < characters


def _below(node: ast.AST) -> list[ast.AST]:
    """What `ast.iter_child_nodes` gives; `a and b and c` and `import a.b.c`, a list in `ast`, nested as in LibCST."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            if len(value) > 2 and type(node) is ast.BoolOp:
                return [value[0], ast.BoolOp(node.op, value[1:])]
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
        elif name in _DOTTED and type(value) is str and "." in value:
            found.append(ast.alias(value.partition(".")[2]))
    return found


def _compile(source: str, script: Script) -> None:
    """Raises what Python says of it. The cells of a notebook are compiled as IPython does it: statement by statement,
    so that one may wait at the top level, and `from __future__` may stand below others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not script.cells:
            compile(source, "<migrated>", "exec", dont_inherit=True)
            return
        for statement in ast.parse(source).body:
            alone = ast.Module([statement], [])
            compile(alone, "<migrated>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
