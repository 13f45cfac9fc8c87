"""Place the model on the one device of its process.

Scripts that run on one GPU, on one GPU of each process or on all GPUs of `DataParallel` have a tree of branches that
moves and wraps the model in each of these ways. Rewritten branch by branch it would stay a tree of equal branches; a
process has one device, so the whole becomes one `model = model.to(device)`. A division of the batch and of the workers
among the processes stays, under what it depended on besides the GPUs (`args.distributed`), so that each process goes on
with as many samples as before.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import dotted
from codemods.kit.placements import Placement, not_none, operands
from codemods.kit.rules import Example, Rule, Safety, Stage
from codemods.kit.tree import walk


class ModelPlacement(Codemod):
    """Place the model on the one device of its process."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC124", "the branches that place a model become one move", Safety.REVIEW,
             advice="check the batch size of a process: a division by the number of GPUs must divide by the processes"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nif gpu is not None:\n    model = model.cuda(gpu)\nelse:\n"
            "    model = torch.nn.DataParallel(model).cuda()\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\n"
            "device = xm.xla_device()\nmodel = model.to(device)\n",
            xla="import torch\nimport torch_xla\n\ndevice = torch_xla.device()\nmodel = model.to(device)\n",
        ),
        Example(before="import torch\n\nif big:\n    a = a.cuda()\nelse:\n    b = b.cuda()\n"),
    )

    def rewrite(self) -> None:
        for placement in self.script.placements.trees:
            self._place(placement)

    def _place(self, placement: Placement) -> None:
        edit = self.edit("TC124", placement.tree, f"{placement.model} is placed on the XLA device in one way")
        move = f"{placement.model}.to({{device}})"
        code = f"{placement.model} = {move}" if placement.bound else move
        made = build.statements(code, device=edit.device(placement.tree))
        guards = {dotted(share.targets[0].target): self._guard(share, placement.tree) for share in placement.shares}

        def rewritten(updated: cst.If) -> list[cst.BaseStatement]:
            shares: dict[str, dict[str, cst.BaseStatement]] = {}
            added: dict[str, cst.BaseStatement] = {}
            for node in walk(updated):
                if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
                    small = node.body[0]
                    if isinstance(small, cst.Assign) and dotted(small.targets[0].target) in guards:
                        guard = guards[dotted(small.targets[0].target)]
                        shares.setdefault(guard, {}).setdefault(code_of(small), node)
                    elif _is_xla(small):
                        added.setdefault(code_of(small), node)
            lines: list[cst.BaseStatement] = []
            for guard, kept in shares.items():
                lines += _under(guard, list(kept.values()))
            lines += [*made, *added.values()]
            led = [*updated.leading_lines, *getattr(lines[0], "leading_lines", ())]
            return [lines[0].with_changes(leading_lines=led), *lines[1:]]

        edit.replace(placement.tree, rewritten)

    def _guard(self, share: cst.Assign, tree: cst.If) -> str:
        """What a division of the batch depends on besides the hardware and the index of a GPU: whether there are
        several processes."""
        tests: list[str] = []
        child: cst.CSTNode = share
        for outer in self.script.tree.ancestors(share):
            if isinstance(outer, cst.If) and child is outer.body:
                asked = [test for test in operands(outer.test) if not self._is_placement_test(test)]
                tests = [*map(code_of, asked), *tests]
            if outer is tree:
                break
            child = outer
        return " and ".join(dict.fromkeys(tests))

    def _is_placement_test(self, test: cst.BaseExpression) -> bool:
        if not_none(test) is not None:
            return True
        calls = [self.script.qualified(node.func) or "" for node in walk(test) if isinstance(node, cst.Call)]
        if any(name.startswith(("torch.cuda.", "torch.accelerator.", "torch.backends.")) for name in calls):
            return True
        return isinstance(test, cst.Comparison) and (dotted(test.left) or "").endswith("device.type")


def _under(guard: str, lines: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
    """The statements, in an `if` when there is a condition."""
    return [cst.If(cst.parse_expression(guard), cst.IndentedBlock(lines))] if guard else lines


def _is_xla(small: cst.BaseSmallStatement) -> bool:
    """A statement another rewrite has put in, such as a broadcast of the weights."""
    call = small.value if isinstance(small, cst.Expr) else None
    name = dotted(call.func) or "" if isinstance(call, cst.Call) else ""
    return name.startswith(("xm.", "torch_xla."))
