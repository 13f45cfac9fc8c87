"""Take out the conversion to `SyncBatchNorm`.

`SyncBatchNorm` computes its statistics over the batches of all GPUs through a process group, and refuses tensors that
are not on CUDA. torch_xla has a layer of the same name, `torch_xla.core.functions.SyncBatchNorm`, but no function that
converts a model. The conversion is taken out, and a note says what it changes: batch statistics are those of one
process. Where the class itself is used, `norm_layer = nn.SyncBatchNorm if distributed else nn.BatchNorm2d`, an error
says so: torch 1.13 refuses the tensors of XLA, and later versions compute the statistics of one process.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.fold import in_place_of, unless_to_itself
from codemods.kit.names import argument, dotted
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_CONVERSIONS = ("torch.nn.SyncBatchNorm.convert_sync_batchnorm", "apex.parallel.convert_syncbn_model")
_LAYERS = ("torch.nn.SyncBatchNorm", "apex.parallel.SyncBatchNorm")
_ADVICE = "where the batch of one process is small, build the model with torch_xla.core.functions.SyncBatchNorm"

_QUESTIONS = ("isinstance", "issubclass", "hasattr")
_GROUP = "apex.parallel.create_syncbn_process_group"


class SyncBatchNorm(Codemod):
    """Take out the conversion to SyncBatchNorm."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC551", "the conversion to SyncBatchNorm is taken out", Safety.REVIEW, advice=_ADVICE),
        Rule("TC552", "batch norm statistics are those of one process", Safety.NOTE, Severity.WARNING, _ADVICE,
             "torch_xla 2.1 core/functions.py SyncBatchNorm"),
        Rule("TC553", "a SyncBatchNorm layer", Safety.NOTE, Severity.ERROR,
             "it synchronizes on CUDA only: use torch_xla.core.functions.SyncBatchNorm(num_features, eps, momentum)",
             "torch_xla 2.1 core/functions.py SyncBatchNorm"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nmodel = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)\nmodel.train()\n",
            smtc="import torch\n\nmodel.train()\n",
            xla="import torch\n\nmodel.train()\n",
        ),
    )

    def rewrite(self) -> None:
        for call in self.script.calls(*_CONVERSIONS):
            if argument(call, 0, "module") is None:
                self.note("TC553", call, "the model converted to SyncBatchNorm cannot be seen here")
                continue
            edit = self.edit("TC551", call, "the model keeps its batch norm layers")
            edit.replace(call, _model_of)
            statement = self.script.tree.small_statement(call)
            if isinstance(statement, cst.Assign | cst.AnnAssign):
                edit.replace(statement, unless_to_itself)
            self._group(call)
            self.note("TC552", call, "SyncBatchNorm computed its statistics over all processes")
        for name in _CONVERSIONS:
            for _, node in self.script.names.uses(name):
                holder = self.script.tree.parent.get(node)
                if not isinstance(holder, cst.Call) or holder.func is not node:
                    self.note("TC553", node, "the conversion to SyncBatchNorm is passed on as a value")
        for name in _LAYERS:
            for found, node in self.script.names.uses(name):
                if found == name and not self._is_asked(node):
                    self.note("TC553", node, "SyncBatchNorm needs CUDA tensors and a process group")

    def _is_asked(self, node: cst.BaseExpression) -> bool:
        """Whether a class only says what a value is: `isinstance(layer, nn.SyncBatchNorm)`, an annotation."""
        for outer in self.script.tree.ancestors(node):
            if isinstance(outer, cst.Annotation | cst.Comparison | cst.MatchClass):
                return True
            if isinstance(outer, cst.Tuple | cst.Set) or (isinstance(outer, cst.DictElement) and outer.key is node):
                return True  # kinds of layers that are looked for: `NORMS = (nn.BatchNorm2d, nn.SyncBatchNorm)`
            if isinstance(outer, cst.Call) and outer.func is not node:
                return dotted(outer.func) in _QUESTIONS or self._converts(outer, node)
            if isinstance(outer, cst.BaseSmallStatement | cst.BaseCompoundStatement):
                return False
        return False

    def _converts(self, call: cst.Call, node: cst.BaseExpression) -> bool:
        return self.script.qualified(call.func) in _CONVERSIONS and self.script.tree.contains(call.func, node)

    def _group(self, call: cst.Call) -> None:
        """`group = apex.parallel.create_syncbn_process_group(n)` goes with the one conversion that is given it."""
        tree, names = self.script.tree, self.script.names
        given = argument(call, None, "process_group")
        bindings = names.bindings(given.value) if given is not None and isinstance(given.value, cst.Name) else []
        made = bindings[0].value if len(bindings) == 1 else None
        if given is None or not isinstance(made, cst.Call) or self.script.qualified(made.func) != _GROUP:
            return
        reads = [node for node in tree.all(cst.Name) if names.is_reference(node) and names.bindings(node) == bindings]
        if reads == [given.value]:
            self.edit("TC551", made, "no layer synchronizes within a group").remove(made)


def _model_of(updated: cst.Call) -> cst.BaseExpression:
    model = argument(updated, 0, "module")
    assert model is not None
    return in_place_of(updated, model.value)
