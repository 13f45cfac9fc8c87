"""Take the accelerator's branch.

`torch.cuda.is_available()` says nothing about XLA: it is true in a Training Compiler container, where the guarded code
would use native CUDA, and false elsewhere, where it would be skipped. The migrated script always has its device, so the
guard is folded: its branch stays, the other goes, `use_cuda = not args.no_cuda and torch.cuda.is_available()` keeps the
user's part, and assertions that there is a GPU go. `if use_cuda:` stays: it is the user's flag.

A process has one device: in a script of one process `torch.cuda.device_count() > 1` is false, and the branch that
wraps the model in `DataParallel` goes. `if args.gpu is not None:` around `x.cuda(args.gpu)` goes too: whatever the
index, there is one device to move to.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.accelerator import AVAILABLE
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.device_choices import SELECTS_DEVICE
from codemods.kit.fold import condition, fold, truth
from codemods.kit.launch import Launch
from codemods.kit.names import argument
from codemods.kit.placements import not_none, operands
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.switches import decided
from codemods.kit.tree import walk

_LEAVES = (cst.Return, cst.Raise, cst.Continue, cst.Break)
_COMPARE = {
    cst.GreaterThan: lambda count, number: count > number,
    cst.GreaterThanEqual: lambda count, number: count >= number,
    cst.LessThan: lambda count, number: count < number,
    cst.LessThanEqual: lambda count, number: count <= number,
    cst.Equal: lambda count, number: count == number,
    cst.NotEqual: lambda count, number: count != number,
}


class CudaBranch(Codemod):
    """Take the accelerator's branch."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC121", "a guard on torch.cuda.is_available() is taken", Safety.EXACT,
             document="torch 2.1 torch/cuda/__init__.py is_available, which asks the CUDA driver"),
        Rule("TC122", "a guard on the number of GPUs is taken for one device a process", Safety.REVIEW,
             advice="check that the branch only served several GPUs in one process"),
        Rule("TC123", "a guard on the index of a GPU around a move goes", Safety.EXACT),
        Rule("TC125", "an option decides whether the model is moved", Safety.NOTE, Severity.WARNING,
             advice="start the migrated script with the option, or remove it"),
        Rule("TC126", "a report of whether there is CUDA", Safety.NOTE, Severity.INFO,
             advice="it says nothing about the XLA device: remove it, or report the device"),
        Rule("TC130", "a constant switches CUDA off", Safety.NOTE, Severity.WARNING,
             advice="set the constant to True to train on the XLA device; to stay on the CPU keep the script as it is"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch\n\nassert torch.cuda.is_available(), "needs a GPU"\n'
            "args.cuda = not args.no_cuda and torch.cuda.is_available()\n"
            "if torch.cuda.is_available():\n    torch.cuda.empty_cache()\n",
            smtc="import torch\n\nargs.cuda = not args.no_cuda\ntorch.cuda.empty_cache()\n",
            xla="import torch\n\nargs.cuda = not args.no_cuda\ntorch.cuda.empty_cache()\n",
        ),
        Example(before="import torch\n\nif args.cuda:\n    seed = 1\n"),
    )

    def rewrite(self) -> None:
        self._take_available()
        self._take_counts()
        for choice in self.script.tree.all(cst.If):
            self._take_index_guard(choice)
        self._find_flags()
        self._find_switches()

    # --- guards -----------------------------------------------------------------------------------------------------

    def _take_available(self) -> None:
        known: dict[cst.CSTNode, bool] = {}
        for call in self.script.calls(*AVAILABLE):
            if self._is_said(call):
                self.note("TC126", call, f"reports {code_of(call)}, which does not tell whether there is an XLA device")
            elif not self._is_settled_elsewhere(call):
                known[call] = True
        self._fold("TC121", known, "there is an accelerator")

    def _take_counts(self) -> None:
        known: dict[cst.CSTNode, bool] = {}
        single = self.script.launch.kind in (Launch.SINGLE, Launch.DATA_PARALLEL)
        for call in self.script.calls("torch.cuda.device_count", "torch.accelerator.device_count"):
            parent = self.script.tree.parent[call]
            at_least_one = self._compared(call, parent, 1)
            if at_least_one is not None and not self._is_settled_elsewhere(call):
                same = all(self._compared(call, parent, count) is at_least_one for count in (2, 3, 8, 64))
                if same or (single and self._is_guard(parent)):
                    known[parent] = at_least_one
        self._fold("TC122", known, "each process has one device")

    def _compared(self, call: cst.Call, node: cst.CSTNode, count: int) -> bool | None:
        """What `device_count() > 1` says for a number of devices."""
        if not isinstance(node, cst.Comparison) or node.left is not call or len(node.comparisons) != 1:
            return None
        target = node.comparisons[0]
        compare = _COMPARE.get(type(target.operator))
        if compare is None or not isinstance(target.comparator, cst.Integer):
            return None
        return bool(compare(count, int(target.comparator.value)))

    def _is_guard(self, node: cst.CSTNode) -> bool:
        holder = self.script.tree.parent.get(condition(self.script.tree, node))
        return isinstance(holder, cst.If | cst.IfExp)

    def _fold(self, rule: str, known: dict[cst.CSTNode, bool], why: str) -> None:
        tree = self.script.tree
        roots: dict[cst.CSTNode, dict[cst.CSTNode, bool]] = {}
        for node, value in known.items():
            roots.setdefault(condition(tree, node), {})[node] = value
        for root, part in roots.items():
            edit = self.edit(rule, root, why)
            fold(edit, tree, part)
            holder = tree.parent.get(root)
            if isinstance(holder, cst.If) and holder.test is root and truth(root, part):
                for statement in self._never_reached(holder):
                    edit.remove(statement)

    def _never_reached(self, choice: cst.If) -> Iterator[cst.BaseStatement]:
        """What follows an `if` that is always taken and always leaves."""
        last = choice.body.body[-1] if choice.body.body else None
        if isinstance(last, cst.SimpleStatementLine):
            last = last.body[-1]
        block = self.script.tree.block(choice)
        if isinstance(last, _LEAVES) and choice in block:
            yield from block[block.index(choice) + 1 :]

    def _is_said(self, call: cst.Call) -> bool:
        """In a message: `print("CUDA:", torch.cuda.is_available())`."""
        parent = self.script.tree.parent.get(call)
        if isinstance(parent, cst.FormattedStringExpression):
            return True
        holder = self.script.tree.parent.get(parent) if isinstance(parent, cst.Arg) else None
        if not isinstance(holder, cst.Call) or (isinstance(parent, cst.Arg) and parent.keyword is not None):
            return False
        name = self.script.qualified(holder.func) or ""
        last = holder.func.attr.value if isinstance(holder.func, cst.Attribute) else ""
        return name in ("builtins.print", "builtins.str") or last in ("info", "debug", "warning", "format", "write")

    def _is_settled_elsewhere(self, call: cst.Call) -> bool:
        """In the choice of a device, or in a placement tree: decided as a whole."""
        positions = self.script.device_positions
        if any(outer in positions.defining for outer in self.script.tree.ancestors(call)):
            return True
        return (self.script.placements.around(call) or self.script.device_choices.around(call)) is not None

    # --- indexes ------------------------------------------------------------------------------------------------------

    def _take_index_guard(self, choice: cst.If) -> None:
        """`if args.gpu is not None: images = images.cuda(args.gpu)`."""
        if self.script.placements.around(choice) is not None:
            return
        tests = [*operands(choice.test)]
        for test in tests:
            index = not_none(test)
            if index is None or any(_reads(other, code_of(index)) for other in tests if other is not test):
                continue  # `gpu is not None and gpu >= 0`
            if self._only_moves(choice.body, code_of(index)):
                edit = self.edit("TC123", choice, "a process has one device, whatever its index")
                fold(edit, self.script.tree, {test: True})

    def _only_moves(self, body: cst.BaseSuite, index: str) -> bool:
        uses = False
        for item in body.body:
            for small in item.body if isinstance(item, cst.SimpleStatementLine) else [item]:
                value = small.value if isinstance(small, cst.Assign | cst.Expr) else None
                if not isinstance(value, cst.Call):
                    return False
                moved = isinstance(value.func, cst.Attribute) and value.func.attr.value == "cuda"
                if not moved and self.script.qualified(value.func) not in SELECTS_DEVICE:
                    return False
                first = argument(value, 0, "device")
                uses = uses or (moved and first is not None and code_of(first.value) == index)
        return uses

    # --- options ----------------------------------------------------------------------------------------------------

    def _find_flags(self) -> None:
        """Options without which the model stays on the CPU, while the batches are moved."""
        said: set[str] = set()
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if not (isinstance(func, cst.Attribute) and func.attr.value == "cuda"):
                continue
            choice = self.script.tree.enclosing(call, cst.If)
            flag = self._option_of(choice.test) if choice is not None else None
            if choice is None or flag is None or flag in said or not self.script.is_a(func.value, Role.MODEL):
                continue
            said.add(flag)
            self.note("TC125", choice, f"{flag} has to be given: without it the model stays on the CPU")

    def _find_switches(self) -> None:
        """Constants that keep the script on the CPU: the migrated one is written for the XLA device all the same."""
        uses = {*self.script.device_positions.moves, *self.script.device_positions.definitions}
        if not uses:
            return
        choices: list[cst.If | cst.IfExp] = [*self.script.tree.all(cst.If), *self.script.tree.all(cst.IfExp)]
        said: set[str] = set()
        for choice in sorted(choices, key=lambda choice: self.script.tree.order[choice]):
            taken = decided(self.script, choice.test)
            skipped = choice.orelse if taken else choice.body
            name = code_of(choice.test)
            if taken is None or skipped is None or name in said:
                continue
            named = isinstance(skipped, cst.BaseExpression) and self.script.accelerator.means(skipped)
            taken_part = choice.body if taken else choice.orelse
            if taken_part is not None and not uses.isdisjoint(walk(taken_part)):
                continue  # it chooses what is moved, or by which call
            if named or not uses.isdisjoint(walk(skipped)):
                said.add(name)
                self.note("TC130", choice, f"{name} is always {taken}: CUDA is switched off here")

    def _option_of(self, test: cst.BaseExpression) -> str | None:
        """The `store_true` option a condition needs, directly or through a name bound to it."""
        for operand in operands(test):
            value = self.script.names.assigned(operand)
            for read in (operand, *(operands(value) if value is not None else ())):
                option = self.script.options.read(read)
                if option is not None and option.action == "store_true":
                    return "--" + option.dest.replace("_", "-")
        return None


def _reads(node: cst.CSTNode, index: str) -> bool:
    return any(isinstance(found, cst.Name | cst.Attribute) and code_of(found) == index for found in walk(node))
