"""Do without Horovod.

`hvd.DistributedOptimizer` averages the gradients in its `step()`, which is what `xm.optimizer_step` does, so the
wrapper goes; the launcher replaces `hvd.init()`, and the ranks are asked of torch_xla. `hvd.broadcast_parameters`
becomes a broadcast of the model; the optimizer's state needs none, since every process builds or loads the same.
`hvd.allreduce` returns a new tensor that is the mean of all, `hvd.allreduce_` works in place, and `hvd.allgather`
joins the tensors along the first dimension: each has its form in torch_xla.

Adasum, process sets, gradient predivision and elastic runs have none, and are noted.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.fold import in_place_of, unless_to_itself
from codemods.kit.names import argument, dotted
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import CALLS
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_HVD = "horovod.torch."
_RANKS = {name: quantity for name, quantity in CALLS.items() if name.startswith(_HVD)}
_REMOVED = ("init", "shutdown", "broadcast_optimizer_state")
_HANDLED = ("DistributedOptimizer", "broadcast_parameters", "allreduce", "allreduce_", "allgather", "allgather_object",
            "broadcast_object", "broadcast_")  # fmt: skip
_ON_HOST = ("torch.tensor", "torch.as_tensor", "torch.from_numpy", "torch.zeros", "torch.ones", "torch.FloatTensor",
            "torch.LongTensor", "torch.DoubleTensor")  # fmt: skip
_PASSED_ALONG = ("Adasum", "Average", "Sum", "Min", "Max", "Product")


class Horovod(Codemod):
    """Do without Horovod."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC561", "Horovod is not started", Safety.EXACT,
             document="SageMaker: Training Compiler FAQ, distributed training libraries"),
        Rule("TC562", "ranks are asked of torch_xla", Safety.EXACT, document="torch_xla 2.1 runtime.py"),
        Rule("TC563", "DistributedOptimizer is unwrapped", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py optimizer_step"),
        Rule("TC564", "the first weights are broadcast", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py broadcast_master_param"),
        Rule("TC565", "Horovod's collectives become torch_xla's", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py all_reduce, all_gather, mesh_reduce"),
        Rule("TC566", "a part of Horovod without a counterpart", Safety.NOTE, Severity.ERROR,
             "torch_xla averages gradients over all processes: remove it, or express it with xm.all_reduce"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import horovod.torch as hvd\nimport torch\n\nhvd.init()\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * hvd.size())\n"
            "optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * xm.xrt_world_size())\n",
            xla="import torch\nimport torch_xla.runtime as xr\n\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * xr.world_size())\n",
        ),
    )

    def rewrite(self) -> None:
        if "horovod" not in self.script.names.modules:
            return
        for name, node in self.script.names.uses("horovod.torch"):
            function = name[len(_HVD) :]
            call = self.script.tree.parent.get(node)
            if not isinstance(call, cst.Call) or call.func is not node:
                if function.startswith("Compression"):
                    self._compression(node)
                elif not function.startswith(_PASSED_ALONG):
                    self.note("TC566", node, f"hvd.{function} is passed on as a value")
            elif name in _RANKS:
                edit = self.edit("TC562", call, f"{_RANKS[name].idiom.value} is asked of torch_xla")
                edit.replace(call, edit.say(_RANKS[name].idiom))
            elif function in _REMOVED:
                self._remove(function, call)
            elif function in _HANDLED:
                self._use(function, call)
            else:
                self.note("TC566", call, f"hvd.{function} has no counterpart in torch_xla")
        self._synchronized_by_hand()

    def _remove(self, function: str, call: cst.Call) -> None:
        if isinstance(self.script.tree.parent.get(call), cst.Expr):
            why = (
                "the optimizer starts the same on every process"
                if "optimizer" in function
                else "torch_xla starts the processes"
            )
            self.edit("TC561", call, f"hvd.{function} is not needed: {why}").remove(call)
        else:
            self.note("TC566", call, f"the result of hvd.{function} is used")

    def _use(self, function: str, call: cst.Call) -> None:
        if argument(call, None, "process_set") is not None or (function != "DistributedOptimizer" and not call.args):
            self.note("TC566", call, f"hvd.{function} over a process set, or without its arguments")
        elif function == "DistributedOptimizer":
            self._optimizer(call)
        elif function == "broadcast_parameters":
            self._parameters(call)
        elif function in ("allreduce", "allreduce_"):
            self._reduce(function, call)
        elif function == "broadcast_":
            self._broadcast(call)
        else:
            self._gather(function, call)

    # --- the optimizer ------------------------------------------------------------------------------------------

    def _optimizer(self, call: cst.Call) -> None:
        operation = argument(call, None, "op")
        passes = argument(call, None, "backward_passes_per_step")
        factor = argument(call, None, "gradient_predivide_factor")
        if operation is not None and (dotted(operation.value) or "?").rpartition(".")[2] != "Average":
            self.note(
                "TC566", call, f"gradients are combined by {code_of(operation.value)}, and are averaged here"
            )
        if passes is not None and code_of(passes.value) != "1":
            self.note(
                "TC566", call, "gradients of several backward passes are averaged: divide the loss by their number"
            )
        if factor is not None and code_of(factor.value) != "1.0":
            self.note("TC566", call, "gradients are divided before they are summed; xm.optimizer_step divides once")
        if argument(call, 0, "optimizer") is None:
            self.note("TC566", call, "the optimizer wrapped cannot be seen here")
            return
        edit = self.edit("TC563", call, "the step averages the gradients")
        edit.replace(call, lambda updated: in_place_of(updated, _first(updated)))
        statement = self.script.tree.small_statement(call)
        if isinstance(statement, cst.Assign | cst.AnnAssign):
            edit.replace(statement, unless_to_itself)

    def _compression(self, node: cst.BaseExpression) -> None:
        """`compression = hvd.Compression.fp16`, which goes with the optimizer it is given to."""
        tree, names = self.script.tree, self.script.names
        if self._is_given_to_optimizer(node):
            return
        statement = tree.small_statement(node)
        target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
        if isinstance(target, cst.Name):
            bindings = names.bindings(target)
            uses = [use for use in tree.all(cst.Name) if use.value == target.value and names.is_reference(use)
                    and names.bindings(use) == bindings]  # fmt: skip
            if all(self._is_given_to_optimizer(use) for use in uses):
                self.edit("TC563", node, "gradients are not compressed: XLA reduces them as they are").remove(node)
                return
        if isinstance(node, cst.Attribute):
            self.note("TC566", node, "gradients are compressed")

    def _is_given_to_optimizer(self, node: cst.CSTNode) -> bool:
        call = self.script.tree.enclosing(node, cst.Call)
        return call is not None and self.script.qualified(call.func) == f"{_HVD}DistributedOptimizer"

    def _synchronized_by_hand(self) -> None:
        """`optimizer.synchronize()` and `with optimizer.skip_synchronize():`, for clipping averaged gradients."""
        tree = self.script.tree
        for node in tree.all(cst.Attribute):
            call = tree.parent.get(node)
            if node.attr.value not in ("synchronize", "skip_synchronize") or not isinstance(call, cst.Call):
                continue
            if not self.script.is_a(node.value, Role.OPTIMIZER):
                continue
            holder = tree.parent.get(call)
            if isinstance(holder, cst.WithItem):
                self.edit("TC563", node, "the gradients are averaged where the optimizer steps").replace(
                    holder, lambda _: None
                )
            elif isinstance(holder, cst.Expr):
                self.edit("TC563", node, "the gradients are averaged where the optimizer steps").remove(call)

    # --- weights and collectives --------------------------------------------------------------------------------

    def _parameters(self, call: cst.Call) -> None:
        passed = call.args[0].value
        model = passed.func.value if isinstance(passed, cst.Call) and isinstance(passed.func, cst.Attribute) else None
        root = argument(call, 1, "root_rank")
        if model is None or not self.can(Idiom.MODEL_SYNC) or root is None or code_of(root.value) != "0":
            self.note(
                "TC566", call, "parameters are broadcast in a way torch_xla has not: seed every process alike instead"
            )
            return
        edit = self.edit("TC564", call, "the model is broadcast from the first process")
        edit.instead(call, Idiom.MODEL_SYNC, model=model)

    def _reduce(self, function: str, call: cst.Call) -> None:
        average, operation = argument(call, 1, "average"), argument(call, None, "op")
        kind = (dotted(operation.value) or "?").rpartition(".")[2] if operation is not None else "Average"
        summed = kind == "Sum" or (average is not None and code_of(average.value) == "False")
        if kind not in ("Average", "Sum"):
            self.note("TC566", call, f"hvd.{function} with {kind}")
            return
        if function == "allreduce_" and not isinstance(self.script.tree.parent.get(call), cst.Expr):
            self.note("TC566", call, "the result of hvd.allreduce_ is used")
            return
        if function == "allreduce":
            idiom = Idiom.REDUCED_SUM if summed else Idiom.REDUCED_MEAN
        else:
            idiom = Idiom.ALL_REDUCE_SUM if summed else Idiom.ALL_REDUCE_MEAN
        edit = self.edit("TC565", call, f"hvd.{function} becomes {idiom.value}")
        moved = function == "allreduce" and self._is_on_host(_first(call))
        device = edit.device(call) if moved else None
        edit.replace(call, lambda updated: edit.say(idiom, tensor=_moved(_first(updated), device)))

    def _is_on_host(self, tensor: cst.BaseExpression) -> bool:
        """`tensor = torch.tensor(val)`: Horovod reduces what is on the host, torch_xla what is on its device only."""
        if isinstance(tensor, cst.Name) and len(bindings := self.script.names.bindings(tensor)) == 1:
            tensor = bindings[0].value or tensor
        made = isinstance(tensor, cst.Call) and (self.script.qualified(tensor.func) or "") in _ON_HOST
        return made and isinstance(tensor, cst.Call) and argument(tensor, None, "device") is None

    def _broadcast(self, call: cst.Call) -> None:
        root = argument(call, 1, "root_rank")
        said = self.can(Idiom.MODEL_SYNC) or bool(call.args and dotted(call.args[0].value))  # it may be written twice
        if root is None or not said or not isinstance(self.script.tree.parent.get(call), cst.Expr):
            self.note("TC566", call, "hvd.broadcast_ has no counterpart in this torch_xla, or its result is used")
            return
        edit = self.edit("TC565", call, f"hvd.broadcast_ becomes {Idiom.BROADCAST.value}")
        edit.replace(call, lambda updated: edit.say(Idiom.BROADCAST, tensor=_first(updated), source=root.value))

    def _gather(self, function: str, call: cst.Call) -> None:
        if function == "allgather":
            edit = self.edit("TC565", call, f"hvd.allgather becomes {Idiom.GATHERED.value}")
            device = edit.device(call) if self._is_on_host(_first(call)) else None
            edit.replace(call, lambda updated: edit.say(Idiom.GATHERED, tensor=_moved(_first(updated), device)))
            return
        edit = self.edit("TC565", call, f"hvd.{function} becomes {Idiom.GATHER_OBJECTS.value}")
        place = self.script.tree.function(call)
        tag = f'"{place.name.value if place is not None else "main"}_objects"'
        said = edit.say(Idiom.GATHER_OBJECTS, tag=tag, value=code_of(call.args[0].value))
        if function == "broadcast_object":
            root = argument(call, 1, "root_rank")
            said = expression("{all}[{root}]", all=said, root=root.value if root is not None else "0")
        edit.replace(call, said)


def _moved(tensor: cst.BaseExpression, device: cst.BaseExpression | None) -> cst.BaseExpression:
    return tensor if device is None else expression("{tensor}.to({device})", tensor=tensor, device=device)


def _first(call: cst.Call) -> cst.BaseExpression:
    """The tensor or optimizer a call is given first, by position or keyword."""
    named = next(
        (arg for arg in call.args if arg.keyword is None or arg.keyword.value in ("tensor", "optimizer")), call.args[0]
    )
    return named.value
