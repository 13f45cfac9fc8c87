"""Names that only one process has: what was bound under `if rank == 0:` earlier in a function.

Where a save leaves its guard, every process evaluates its path. `checkpoint_dir` of the first process is no name at all
on the others, so the path becomes `path if rank == 0 else None`, which `xm.save(..., global_master=True)` reads on the
first process only.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.guards import passes_one
from codemods.kit.names import argument, dotted
from codemods.kit.script import Script


def reads_master_name(script: Script, node: cst.CSTNode, guard: cst.If) -> bool:
    """Whether a part of a guarded block reads a name that another guard for one process bound, and nothing else."""
    return any(_is_masters(script, name, guard) for name in script.tree.inside(node, cst.Name))


def _is_masters(script: Script, name: cst.Name, guard: cst.If) -> bool:
    tree, bindings = script.tree, script.names.bindings(name)
    if not script.names.is_reference(name) or any(binding.kind == "import" for binding in bindings):
        return False
    return bool(bindings) and all(
        any(
            isinstance(outer, cst.If)
            and outer is not guard
            and tree.contains(outer.body, binding.node)
            and tree.function(outer) is tree.function(name)
            and passes_one(script, outer.test)
            for outer in tree.ancestors(binding.node)
        )
        for binding in bindings
    )


def is_path_of(script: Script, item: cst.CSTNode, guard: cst.If) -> bool:
    """Whether all that a statement reads of the master's names is a value it assigns, or the file of a save."""
    small = item.body[0] if isinstance(item, cst.SimpleStatementLine) and len(item.body) == 1 else None
    if isinstance(small, cst.Assign):
        return True
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or script.qualified(call.func) != "torch.save":
        return False
    saved = argument(call, 0, "obj")
    return saved is not None and not reads_master_name(script, saved, guard)


def on_master_only(item: cst.CSTNode, test: cst.BaseExpression, *, own: bool) -> cst.CSTNode:
    """A statement of the block for every process: what it reads of the master's `own` names for the master only, and a
    save by the one process that knows the path."""
    if not isinstance(item, cst.SimpleStatementLine) or len(item.body) != 1:
        return item
    small = item.body[0]
    if isinstance(small, cst.Assign) and own:
        return item.with_changes(body=[small.with_changes(value=_for_master(small.value, test))])
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or len(call.args) < 2 or not (dotted(call.func) or "").endswith("xm.save"):
        return item
    saved, file = call.args[0], call.args[1]
    args = [saved, file.with_changes(value=_for_master(file.value, test)) if own else file, *call.args[2:]]
    new = cst.Expr(build.with_keyword(call.with_changes(args=args), "global_master", cst.Name("True")))
    return item.with_changes(body=[new])


def _for_master(value: cst.BaseExpression, test: cst.BaseExpression) -> cst.BaseExpression:
    return build.expression("{value} if {test} else None", value=value, test=test.deep_clone())
