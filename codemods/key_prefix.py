"""Take a prefix off the keys of a checkpoint, and nothing else.

The vendor's page on data parallel training loads a checkpoint with `{k.partition('model.')[2]: state_dict[k] for k in
state_dict.keys()}`. A key that does not have the text becomes "": all of these are one key then, and the weights of all
but the last are lost without a word. A key that has it in its middle loses what stands before. Only a prefix is taken
off now, and keys without it stay. What torch's wrappers put before each key is `module.`.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.options import text
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Stage


class KeyPrefix(Codemod):
    """Take a prefix off the keys of a checkpoint, and nothing else."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC623", "a prefix of checkpoint keys is taken off where it is there", Safety.REVIEW,
             advice="check which prefix the checkpoint has: torch's wrappers write `module.`",
             document="SageMaker: data parallel troubleshooting, unexpected prefix, which is wrong; torch 1.13 "
             "torch/nn/modules/utils.py consume_prefix_in_state_dict_if_present"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'
            'state = {k.partition("model.")[2]: v for k, v in state.items()}\n',
            smtc='import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'
            'state = {k[len("model.") :] if k.startswith("model.") else k: v for k, v in state.items()}\n',
            xla='import torch\n\nstate = torch.load("model.pt", map_location="cpu")\n'
            'state = {k.removeprefix("model."): v for k, v in state.items()}\n',
        ),
        Example(before='name = {path.partition("model.")[2]: path for path in paths}\n'),
    )

    def rewrite(self) -> None:
        tree = self.script.tree
        if ".partition(" not in tree.source:
            return
        for part in tree.all(cst.Subscript):
            cut = _cut(part)
            if cut is None or not self._is_key(part) or not self._has_state():
                continue
            edit = self.edit("TC623", part, f"{code_of(part)} loses the keys that do not have the prefix")
            said = edit.say(Idiom.WITHOUT_PREFIX, text=cut[0], prefix=cut[1])
            if isinstance(tree.parent.get(part), cst.DictComp | cst.Index):
                said = said.with_changes(lpar=(), rpar=())
            edit.replace(part, said)

    def _is_key(self, part: cst.Subscript) -> bool:
        """Whether it is the key of a dict that is made: `{part: v for ...}`, `state[part] = v`."""
        tree = self.script.tree
        holder = tree.parent.get(part)
        if isinstance(holder, cst.DictComp):
            return holder.key is part
        element = tree.parent.get(holder) if isinstance(holder, cst.Index) else None
        place = tree.parent.get(element) if element is not None else None
        return isinstance(place, cst.Subscript) and isinstance(tree.parent.get(place), cst.AssignTarget)

    def _has_state(self) -> bool:
        """Whether the script loads checkpoints at all: other keys may be cut on purpose."""
        loads = (call.func for call in self.script.tree.all(cst.Call))
        return bool(self.script.calls("torch.load")) or any(
            isinstance(func, cst.Attribute) and func.attr.value == "load_state_dict" for func in loads
        )


def _cut(part: cst.Subscript) -> tuple[str, str] | None:
    """The name and the text of `k.partition("model.")[2]`."""
    index = part.slice[0].slice if len(part.slice) == 1 else None
    call = part.value
    if not isinstance(index, cst.Index) or code_of(index.value) != "2" or not isinstance(call, cst.Call):
        return None
    func, args = call.func, call.args
    if not isinstance(func, cst.Attribute) or func.attr.value != "partition" or not isinstance(func.value, cst.Name):
        return None
    if len(args) != 1 or not isinstance(args[0].value, cst.SimpleString) or not text(args[0].value).endswith("."):
        return None
    return func.value.value, args[0].value.value
