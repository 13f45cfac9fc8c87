"""Put text into the environment.

`os.environ["GPU_NUM_DEVICES"] = 4`, as the vendor's troubleshooting page has it, stops with `TypeError: str expected,
not int`. What is certainly a number is written as text. The same in `os.environ.setdefault`, `os.environ.update` and
`os.putenv`.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of, expression
from codemods.kit.codemod import Codemod
from codemods.kit.rules import Example, Rule, Safety, Stage

_NUMBERS = ("builtins.int", "builtins.len", "builtins.float", "builtins.round", "random.randint", "os.cpu_count",
            "multiprocessing.cpu_count", "torch.cuda.device_count", "torch.distributed.get_rank",
            "torch.distributed.get_world_size", "torch_xla.core.xla_model.get_ordinal",
            "torch_xla.core.xla_model.xrt_world_size", "torch_xla.runtime.world_size")  # fmt: skip
_DEEPEST = 4


class EnvironmentValue(Codemod):
    """Put text into the environment."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC731", "a number put into os.environ becomes text", Safety.EXACT,
             document="Python 3 os.environ: TypeError, str expected; SageMaker: Training Compiler troubleshooting, "
             "missing XLA configuration, approach 3, which is wrong"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import os\n\nimport torch\n\nos.environ["OMP_NUM_THREADS"] = 4\n',
            smtc='import os\n\nimport torch\n\nos.environ["OMP_NUM_THREADS"] = "4"\n',
            xla='import os\n\nimport torch\n\nos.environ["OMP_NUM_THREADS"] = "4"\n',
        ),
        Example(before='import os\n\nimport torch\n\nos.environ["OMP_NUM_THREADS"] = threads\n'),
    )

    def rewrite(self) -> None:
        if not self.script.uses_torch:
            return
        for holder, value in self._values():
            if holder not in self.edits.touched and self._is_number(value):
                edit = self.edit("TC731", value, f"{code_of(value)} is a number: the environment holds text")
                edit.replace(holder, lambda updated: updated.with_changes(value=self._text(updated.value)))

    def _values(self) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
        """What is put into the environment, each with the node it is the `value` of."""
        tree = self.script.tree
        for name, node in self.script.names.uses("os.environ"):
            holder = tree.parent.get(node)
            if isinstance(holder, cst.Subscript) and holder.value is node:
                assign = tree.small_statement(holder)
                if isinstance(assign, cst.Assign) and any(target.target is holder for target in assign.targets):
                    yield assign, assign.value
            elif isinstance(holder, cst.Call) and holder.func is node:
                yield from _given(holder, name.rpartition(".")[2])
        for call in self.script.calls("os.putenv"):
            yield from _given(call, "setdefault")

    def _is_number(self, node: cst.BaseExpression, depth: int = 0) -> bool:
        if isinstance(node, cst.Integer | cst.Float):
            return True
        if isinstance(node, cst.BinaryOperation):
            return self._is_number(node.left, depth) and self._is_number(node.right, depth)
        if isinstance(node, cst.Call):
            return self.script.qualified(node.func) in _NUMBERS
        if not isinstance(node, cst.Name | cst.Attribute) or depth > _DEEPEST:
            return False
        option = self.script.options.read(node)
        if option is not None:
            return option.type in ("int", "float")
        bindings = self.script.names.bindings(node)
        return bool(bindings) and all(
            binding.kind == "assign"
            and not binding.path
            and binding.value is not None
            and self._is_number(binding.value, depth + 1)
            for binding in bindings
        )

    def _text(self, value: cst.BaseExpression) -> cst.BaseExpression:
        if isinstance(value, cst.Integer | cst.Float):
            return cst.SimpleString(self.quoted(value.value))
        return expression("str({value})", value=value)


def _given(call: cst.Call, method: str) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
    if method == "setdefault" and len(call.args) == 2:
        yield call.args[1], call.args[1].value
    if method == "update":
        for arg in call.args:
            if arg.keyword is not None:
                yield arg, arg.value
            elif isinstance(arg.value, cst.Dict):
                yield from ((item, item.value) for item in arg.value.elements if isinstance(item, cst.DictElement))
