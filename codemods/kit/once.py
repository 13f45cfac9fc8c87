"""What one process did, and every process does now."""

from __future__ import annotations

import re

import libcst as cst

from codemods.kit.script import Script
from codemods.kit.targets import Launcher, Target

ADVICE = (
    "do it before the processes start, or under `if xm.is_master_ordinal():` with an xm.rendezvous that all processes "
    "reach below"
)
"""How one process does it again, as a note says it."""
SOURCE = "torch_xla 2.1 core/xla_model.py is_master_ordinal, rendezvous"
"""Where that is documented."""


def ran_once(script: Script, target: Target, node: cst.CSTNode) -> bool:
    """Whether one process ran a node and all of them run it once migrated: the one that drove all GPUs by DataParallel,
    or the one that spawned the others, which SageMaker's launcher does. Not what a question for the rank guards."""
    if script.cells or script.ranks.is_guarded(node) or script.ranks.never_runs(node) or script.links.unstarted:
        return False
    if _is_called_by_nobody(script, node):
        return False
    if script.group.joins(node) is False or script.group.is_without(node):
        return False  # there is one process where it runs
    if script.data_parallel:
        return True
    return target.launcher is Launcher.SAGEMAKER and script.ranks.is_before_start(node)


def _is_called_by_nobody(script: Script, node: cst.CSTNode) -> bool:
    """Whether it stands in a function of a file that others take names from, and no file names that one."""
    tree, wanted = script.tree, script.links.wanted
    outer = [one for one in tree.ancestors(node) if isinstance(one, cst.FunctionDef | cst.ClassDef)]
    function = outer[-1] if outer else None
    if not isinstance(function, cst.FunctionDef) or function.decorators or not wanted or "*" in wanted:
        return False
    name = function.name.value
    uses = (use for use in script.names.named(name) if not tree.contains(function, use))
    return name not in wanted and not any(uses) and not _BY_TEXT.search(tree.source)


_BY_TEXT = re.compile(r"\b(globals|locals|eval|exec|Fire)\(|__all__")
"""By which a function may be called that nothing names."""
