"""Decide what a script decides by the backend of its process group.

`dist.get_backend() == "nccl"` asks whether tensors have to be on the GPU to be communicated. There is no such group any
more, and the call would raise. On XLA they have to be on the device: the branch for NCCL is taken and the one for gloo
or MPI goes.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.fold import fold
from codemods.kit.options import text
from codemods.kit.ranks import GROUPS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_KINDS = ("nccl", "gloo", "mpi", "ucc")


class GroupBackend(Codemod):
    """Decide what a script decides by the backend of its process group."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC538", "a branch for the NCCL backend is taken", Safety.EXACT,
             document="torch 2.9 torch/distributed/distributed_c10d.py get_backend"),
        Rule("TC539", "the backend of the process group is asked for", Safety.NOTE, Severity.ERROR,
             "there is no process group any more: decide it for the XLA device"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nimport torch.distributed as dist\n\n"
            'where = "cuda" if dist.get_backend() == "nccl" else "cpu"\n',
            smtc='import torch\n\nwhere = "cuda"\n',
            xla='import torch\n\nwhere = "cuda"\n',
        ),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return
        for call in self.script.calls(*(f"{group}.get_backend" for group in GROUPS)):
            self._decide(call)

    def _decide(self, call: cst.Call) -> None:
        tree = self.script.tree
        holder = tree.parent.get(call)
        uses = self._uses(holder) if isinstance(holder, cst.Assign) else [call]
        known: dict[cst.CSTNode, bool] = {}
        for use in uses:
            comparison = tree.enclosing(use, cst.Comparison)
            decided = self._decided(comparison, use) if comparison is not None else None
            if decided is None:
                self.note("TC539", call, "get_backend has no counterpart in torch_xla")
                return
            assert comparison is not None
            known[comparison] = decided
        edit = self.edit("TC538", call, "what is communicated is on the XLA device")
        fold(edit, tree, known)
        if isinstance(holder, cst.Assign):
            edit.remove(holder)

    def _uses(self, assign: cst.Assign) -> Sequence[cst.BaseExpression]:
        """Where the name that holds the backend is read; the target itself when it is more than a name."""
        target = assign.targets[0].target
        if not isinstance(target, cst.Name) or len(assign.targets) > 1:
            return [target]
        return [
            use
            for use in self.script.tree.all(cst.Name)
            if use is not target and use.value == target.value and self._holds(use, assign)
        ]

    def _holds(self, use: cst.Name, assign: cst.Assign) -> bool:
        return any(binding.node is assign for binding in self.script.names.bindings(use))

    def _decided(self, comparison: cst.Comparison, asked: cst.BaseExpression) -> bool | None:
        """Whether `backend == dist.Backend.NCCL` holds; None when it is another question."""
        target = comparison.comparisons[0]
        if len(comparison.comparisons) > 1 or not isinstance(target.operator, cst.Equal | cst.NotEqual):
            return None
        sides = [side for side in (comparison.left, target.comparator) if side is not asked]
        kind = self._kind(sides[0]) if len(sides) == 1 else ""
        return (kind == "nccl") is isinstance(target.operator, cst.Equal) if kind else None

    def _kind(self, node: cst.BaseExpression) -> str:
        name = text(node) if isinstance(node, cst.SimpleString) else self.script.qualified(node) or ""
        kind = name.rpartition(".")[2].lower()
        return kind if kind in _KINDS else ""
