"""Small programs for the tests of the engine: executed from a text, or from several files."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

from codemods.kit.meaning.execution import Execution, execute
from codemods.kit.meaning.steps import Step
from migrate.engine.correspondence import entries


def run(*files: str, **more: Any) -> Execution:
    """Execute programs: one text, or a name and a text in turn."""
    named = dict(zip(files[::2], files[1::2], strict=True)) if len(files) > 1 else {"train.py": files[0]}
    trees = {path: ast.parse(dedent(text)) for path, text in named.items()}
    return execute(trees, entries(trees), **{"cuda": False, **more})


def said(execution: Execution) -> list[tuple[int, str]]:
    """The lines and messages of all findings."""
    return [(one.site.line, one.message) for one in execution.record.findings.values()]


def kinds(execution: Execution) -> list[str]:
    """The kinds of events, in order."""
    return [one.kind for one in execution.record.events]


def steps(execution: Execution) -> list[Step]:
    """What each optimizer step met."""
    return [one.about for one in execution.record.of("step")]


def gradients(execution: Execution) -> set[str]:
    """How the gradients were that were stepped."""
    return {how for one in steps(execution) for _, how in one.gradients}
