"""Save parameters from the host.

`xm.save` takes to the host what is a `torch.Tensor` and of no class of its own. A `state_dict()` has plain tensors. An
`nn.Parameter` that a program puts among them, or saves by itself, stays on the XLA device: nothing without torch_xla
reads the file, not even to the CPU (measured with 2.1; 2.9 does). So it is saved as `parameter.cpu()`, which goes on
asking for gradients if it did. Where what it is put in is not only saved, it stays, and the judge says so.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Stage

_SAVES = ("torch.save", "torch_xla.core.xla_model.save")


class SavedParameters(Codemod):
    """Save parameters from the host."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC639", "a parameter is saved from the host", Safety.EXACT,
             document="torch_xla 1.13 and 2.1 core/xla_model.py _maybe_convert_to_cpu; torch 2.1 torch/_utils.py"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\ntemperature = torch.nn.Parameter(torch.zeros(1).cuda())\n"
            'torch.save({"temperature": temperature, "step": 3}, "last.pt")\n',
            smtc="import torch\n\ntemperature = torch.nn.Parameter(torch.zeros(1).cuda())\n"
            'torch.save({"temperature": temperature.cpu(), "step": 3}, "last.pt")\n',
        ),
        Example('import torch\n\nnet = torch.nn.Linear(2, 2).cuda()\ntorch.save(net.state_dict(), "net.pt")\n'),
    )

    def rewrite(self) -> None:
        meaning = self.script.links.meaning
        if meaning is None or not meaning.parameters or self.edits.target.version >= (2, 9):
            return
        for node in dict.fromkeys([*self._saved(), *self._put_into_states()]):
            plain = isinstance(node, cst.Attribute) and node.attr.value == "data"
            if not plain and self.script.roles.key(node) in meaning.parameters:
                edit = self.edit("TC639", node, "its copy on the host is saved: a save would leave it on the device")
                edit.replace(node, lambda updated: build.expression("{parameter}.cpu()", parameter=updated))

    def _saved(self) -> Iterator[cst.BaseExpression]:
        """What is written where it is saved: `torch.save({"alpha": alpha}, path)`, or in a name for that."""
        for call in self.script.calls(*_SAVES):
            saved = argument(call, 0, "obj")
            if saved is not None:
                yield from self._inside(saved.value)

    def _inside(self, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
        if isinstance(node, cst.Dict):
            for item in node.elements:
                yield from self._inside(item.value)
        elif isinstance(node, cst.List | cst.Tuple):
            for element in node.elements:
                yield from self._inside(element.value)
        elif isinstance(node, cst.DictComp):
            yield from self._inside(node.value)
        elif isinstance(node, cst.ListComp):
            yield from self._inside(node.elt)
        elif isinstance(node, cst.Name) and (made := self._made_to_be_saved(node)) is not None:
            yield from self._inside(made)
        else:
            yield node

    def _made_to_be_saved(self, name: cst.Name) -> cst.BaseExpression | None:
        """The container that a name stands for, where nothing else is done with it than to save it."""
        tree, bound = self.script.tree, self.script.names.bindings(name)
        made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else None
        saves = [argument(call, 0, "obj") for call in self.script.calls(*_SAVES)]
        saved = [arg.value for arg in saves if arg is not None]
        named = self.script.names.named(name.value)
        if any(use not in saved and not isinstance(tree.parent.get(use), cst.AssignTarget) for use in named):
            return None
        return made if isinstance(made, cst.Dict | cst.List | cst.Tuple | cst.DictComp | cst.ListComp) else None

    def _put_into_states(self) -> Iterator[cst.BaseExpression]:
        """`state[name] = parameter`, where the state is a copy: `state = model.state_dict()`."""
        for assign in self.script.tree.all(cst.Assign):
            place = assign.targets[0].target
            whole = place.value if isinstance(place, cst.Subscript) else None
            bindings = self.script.names.bindings(whole) if isinstance(whole, cst.Name) else []
            if bindings and all(_is_state(binding.value) for binding in bindings):
                yield assign.value


def _is_state(node: cst.BaseExpression | None) -> bool:
    func = node.func if isinstance(node, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value == "state_dict"
