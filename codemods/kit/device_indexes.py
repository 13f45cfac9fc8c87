"""Integers that mean a CUDA device: `x.to(0)`, `x.to(rank)`, `x.cuda(args.gpu)`, `x.to(y.get_device())`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.options import text
from codemods.kit.roles import Role

if TYPE_CHECKING:
    from codemods.kit.script import Script

_RANKS = ("torch.cuda.current_device", "torch.distributed.get_rank", "torch.distributed.get_node_local_rank",
          "horovod.torch.local_rank", "horovod.torch.rank",
          "smdistributed.dataparallel.torch.distributed.get_local_rank",
          "torch_xla.core.xla_model.get_ordinal", "torch_xla.core.xla_model.get_local_ordinal",
          "torch_xla.runtime.global_ordinal", "torch_xla.runtime.local_ordinal")  # fmt: skip
_INDEX_NAMES = frozenset(
    ("rank", "local_rank", "global_rank", "gpu", "gpu_id", "gpuid", "cuda_id", "device_id", "dev_id")
)


class DeviceIndexes:
    """Which expressions are the index of a device, when they stand where a device is wanted."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._indexes: dict[cst.CSTNode, bool] = {}

    def is_index(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression in a device position is the integer of a CUDA device: `0`, `rank`, `args.gpu`."""
        if node is None:
            return False
        if node not in self._indexes:
            self._indexes[node] = False
            self._indexes[node] = self._counts(node)
        return self._indexes[node]

    def owner(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The tensor of `x.get_device()` and `x.device.index`: 0 on the XLA device, and a 0 in a device position is
        CUDA's. None for what may be no tensor: objects have methods of that name that give devices."""
        if isinstance(node, cst.Attribute):
            holder = node.value if node.attr.value == "index" else None
            return holder.value if isinstance(holder, cst.Attribute) and holder.attr.value == "device" else None
        func = node.func if isinstance(node, cst.Call) and not node.args else None
        held = func.value if isinstance(func, cst.Attribute) and func.attr.value == "get_device" else None
        if not isinstance(held, cst.Name) or held.value == "self":
            return None
        tree, bindings = self.script.tree, self.script.names.bindings(held)
        known = any(self.script.is_a(held, role) for role in (Role.TENSOR, Role.BATCH, Role.LOSS))
        given = [tree.enclosing(one.node, cst.FunctionDef) for one in bindings if one.kind == "parameter"]
        return held if known or any(one is not None and one.name.value == "forward" for one in given) else None

    def _counts(self, node: cst.BaseExpression) -> bool:
        names = self.script.names
        if isinstance(node, cst.Integer) or self.owner(node) is not None:
            return True
        if isinstance(node, cst.Call):
            return names.qualified(node.func) in (*_RANKS, "builtins.int")
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
            return self.is_index(node.left)
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply):
            return self.is_index(node.left) and self.is_index(node.right)  # `rank * 2 + 1`
        if not isinstance(node, cst.Name | cst.Attribute):
            return False
        option = self.script.options.read(node)
        if option is not None:
            return option.type == "int"
        bindings = self.script.accelerator.bindings(node)
        for binding in bindings:
            if binding.kind == "assign" and not binding.path and self.is_index(binding.value):
                return True
            if binding.kind == "for" and isinstance(binding.value, cst.Call):
                return names.qualified(binding.value.func) == "builtins.range"
            if isinstance(binding.node, cst.Param) and self._parameter_counts(binding.node):
                return True
        last = node.value if isinstance(node, cst.Name) else node.attr.value
        unknown = not bindings or all(binding.kind in ("parameter", "assign") for binding in bindings)
        return unknown and last.lower().lstrip("_") in _INDEX_NAMES and not self.script.accelerator.means(node)

    def _parameter_counts(self, parameter: cst.Param) -> bool:
        function = self.script.tree.enclosing(parameter, cst.FunctionDef, cst.Lambda)
        if not isinstance(function, cst.FunctionDef):
            return False
        if function is self.script.launch.worker and function.params.params[:1] == (parameter,):
            return True
        annotation = parameter.annotation
        if annotation is not None and self.script.names.qualified(annotation.annotation) == "builtins.int":
            return True
        return any(self.is_index(value) for value in self.script.accelerator.passed(function, parameter))


def is_numbered(node: cst.BaseExpression) -> bool:
    """`kwargs["local_rank"]`, of which a device is made."""
    index = node.slice[0].slice if isinstance(node, cst.Subscript) and len(node.slice) == 1 else None
    key = text(index.value) if isinstance(index, cst.Index) else ""
    return key.lower().lstrip("_") in _INDEX_NAMES
