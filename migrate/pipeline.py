"""One script, migrated: parsed once, read once, every codemod's edits made in one rebuild. Pure and never raising."""

from __future__ import annotations

import ast
import traceback
import warnings
from dataclasses import replace

import libcst as cst

from codemods.kit import flows
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edits
from codemods.kit.links import ALONE, Links
from codemods.kit.rules import Rule
from codemods.kit.script import Script, read
from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.migration import Migration, Status
from migrate.modernise import modernise
from migrate.registry import ALL, Selection, codemods
from migrate.suppress import read_suppressions

MAX_CHARACTERS = 2_000_000
"""Longer sources are generated data, not training scripts."""
MAX_DEPTH = 200
"""LibCST's native parser recurses; `ast` accepts deeper nesting than it survives."""
_UNPARSED = "does not parse"
_BOM = "\ufeff"


def migrate(
    source: str, *, path: str = "-", target: Target, select: Selection = ALL, links: Links = ALONE
) -> Migration:
    """Migrate the text of one script for one target. Whatever happens is in the result; nothing is raised.

    `links` is what the other files of its project say about it.
    """
    if source.startswith(_BOM):
        found = migrate(source[1:], path=path, target=target, select=select, links=links)
        return replace(found, source=source, result=_BOM + found.result)
    original = source
    fixes: tuple[str, ...] = ()
    parsed, reason = _gate(source)
    if reason:
        if reason.startswith(_UNPARSED) and "torch" in source:
            source, fixes = modernise(source)
        parsed, still = _gate(source)
        if not fixes or still:
            return Migration(path, target.name, Status.SKIPPED, original, original, reason=reason)
    suppressions = read_suppressions(original)
    if suppressions.file_off:
        return Migration(path, target.name, Status.UNCHANGED, original, original, reason="switched off by a comment")
    try:
        script = read(cst.parse_module(source), source, parsed, fixes, links)
    except Exception as error:  # libcst is stricter than ast in a few places
        first = str(error).strip().splitlines()
        return Migration(
            path, target.name, Status.SKIPPED, original, original, reason=f"libcst: {first[0] if first else error!r}"
        )

    def allows(rule: Rule, codemod: str, line: int) -> bool:
        return select.allows(rule, codemod) and not suppressions.covers(rule.id, line)

    edits = Edits(script, target, allows)
    if not select.select and script.uses_torch and script.on_cpu:
        return Migration(path, target.name, Status.UNCHANGED, original, original, reason="asks for no accelerator")
    return _run(script, edits, Migration(path, target.name, Status.UNCHANGED, original, source))


def summarise(source: str) -> Summary | None:
    """What a script tells the other files of its project; None when it cannot be parsed."""
    source = source.removeprefix(_BOM)
    parsed, reason = _gate(source)
    if reason.startswith(_UNPARSED) and "torch" in source:
        source, _ = modernise(source)
        parsed, reason = _gate(source)
    if parsed is None:
        return None
    try:
        return flows.summarise(read(cst.parse_module(source), source, parsed))
    except Exception:  # whatever is wrong with the file, its migration says it
        return None


def _run(script: Script, edits: Edits, migration: Migration) -> Migration:
    """Every codemod that serves the target, then the one rebuild."""
    asked: list[Codemod] = []
    for codemod in codemods():
        try:
            if codemod.serves(edits.target) and codemod.suits(script):
                asked.append(codemod(script, edits))
                asked[-1].rewrite()
        except Exception as error:
            return _failed(migration, codemod, error)
        if edits.refused is not None:
            return _refused(migration, edits, *edits.refused)
    try:
        module = edits.apply() if edits.changes else script.module
        result = module.code if edits.changes else migration.result
        _compile(result)
        for each in asked:
            each.review(module)
    except Exception as error:
        return _failed(migration, None, error)
    changed = result != migration.source
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


def _failed(migration: Migration, codemod: type[Codemod] | None, error: Exception) -> Migration:
    who = f"codemod {codemod.name()}" if codemod else "the rewritten script"
    return Migration(
        migration.path,
        migration.target,
        Status.FAILED,
        migration.source,
        migration.source,
        reason=f"{who}: {type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
    )


def _gate(source: str) -> tuple[ast.Module | None, str]:
    """What `ast` makes of a text, or why it cannot be parsed safely."""
    if len(source) > MAX_CHARACTERS:
        return None, f"larger than {MAX_CHARACTERS:,} characters"
    if "\0" in source:
        return None, "contains a NUL byte"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        return None, f"{_UNPARSED}: {error.msg} (line {error.lineno})"
    except (RecursionError, MemoryError, ValueError) as error:
        return None, f"{_UNPARSED}: {type(error).__name__}"
    return (None, "nested too deeply") if _depth(tree) > MAX_DEPTH else (tree, "")


def _depth(tree: ast.AST) -> int:
    depth = 0
    level: list[ast.AST] = [tree]
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            break
        level = [child for node in level for child in _below(node)]
    return depth


def _below(node: ast.AST) -> list[ast.AST]:
    """What `ast.iter_child_nodes` gives, without the markers for loading and storing: most nodes are names."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and name != "ctx":
            found.append(value)
    return found


def _compile(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(source, "<migrated>", "exec", dont_inherit=True)
