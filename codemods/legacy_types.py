"""Give the type and place of a tensor as XLA takes them.

`y.type()` of an XLA tensor is the text "torch.xla.FloatTensor", which `x.type(...)` refuses: `x.type(y.type())` becomes
`x.to(y)`, its type and its device. The constructors of the types, `torch.Tensor(data, device=device)`, refuse every
device that is not the CPU; they took CUDA where a CUDA type was the default. What they make on the CPU is moved.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import Binding, argument
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_KINDS = ("", "Float", "Half", "BFloat16", "Double", "Long", "Int", "Short", "Char", "Byte", "Bool")
_MAKERS = tuple(f"torch.{kind}Tensor" for kind in _KINDS)
_DOCUMENT = "torch_xla 2.1 and 2.9: torch.Tensor.type, torch.Tensor(..., device=), asked with XLA tensors"


class LegacyTypes(Codemod):
    """Give the type and place of a tensor as XLA takes them."""

    STAGE = Stage.DEVICE
    EVERYWHERE = True
    RULES = (
        Rule("TC180", ".type() with the type of another tensor becomes .to() with that tensor", Safety.EXACT,
             document=_DOCUMENT),
        Rule("TC182", "a constructor of a tensor type that is given a device makes on the CPU, and moves", Safety.EXACT,
             document=_DOCUMENT),
        Rule("TC183", "the text of an XLA type, which .type() refuses", Safety.NOTE, Severity.ERROR,
             advice="write `x.to(y)` for `x.type(y.type())`", document=_DOCUMENT),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nx = torch.ones(2).cuda()\neye = torch.eye(2).type(x.type())\n",
            smtc="import torch\n\nx = torch.ones(2).cuda()\neye = torch.eye(2).to(x)\n",
            xla="import torch\n\nx = torch.ones(2).cuda()\neye = torch.eye(2).to(x)\n",
        ),
        Example(before="import torch\n\nx = torch.ones(2).cuda()\nprint(x.type())\n"),
    )

    def rewrite(self) -> None:
        script = self.script
        if script.estimators or not (script.links.accelerated or (script.uses_torch and not script.on_cpu)):
            return
        own = any(function.name.value == "type" for function in script.tree.all(cst.FunctionDef))
        for call in script.tree.all(cst.Call) if not own else ():
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "type" and call.args:
                self._convert(call)
        for call in script.calls(*_MAKERS):
            self._construct(call)

    def _convert(self, call: cst.Call) -> None:
        given = argument(call, 0, "dtype")
        if given is None or self.script.qualified(call.func) is not None:
            return
        like = self._typed(given.value)
        if like is not None:
            self._move(call, given, like)
            return
        bindings = self.script.names.bindings(given.value) if isinstance(given.value, cst.Name) else []
        found = [self._typed(one.value) for one in bindings if one.value is not None and not one.path]
        likes = [like for like in found if like is not None]
        bindings = [one for one in bindings if not self._is_left_out(one)]
        if len(bindings) == 1 and likes and self._stays(likes[0], given.value):
            self._move(call, given, likes[0])
        elif likes:
            kind = f"`{code_of(given.value)}` can be {code_of(likes[0])}.type()"
            self.note("TC183", call, f'{kind}, the text "torch.xla.FloatTensor" or its like: .type() refuses it')

    def _typed(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """`y` of `y.type()`."""
        if not isinstance(node, cst.Call) or node.args or not isinstance(node.func, cst.Attribute):
            return None
        is_type = node.func.attr.value == "type" and self.script.qualified(node.func) is None
        return node.func.value if is_type else None

    def _is_left_out(self, binding: Binding) -> bool:
        """Whether a name is a parameter that is None, since nobody gives it: `def f(a, kind=None)`."""
        tree, node = self.script.tree, binding.node
        function = tree.enclosing(node, cst.FunctionDef)
        if not isinstance(node, cst.Param) or node.default is None or function is None or tree.class_of(node):
            return False
        places = [*function.params.posonly_params, *function.params.params]
        place = places.index(node) if node in places else None
        calls = [call for call in tree.all(cst.Call) if self.script.names.local_function(call.func) is function]
        handed_on = len(self.script.names.named(function.name.value)) > len(calls) + 1
        if handed_on or function.name.value in self.script.links.wanted or code_of(node.default) != "None":
            return False
        stars = any(arg.star for call in calls for arg in call.args)
        return not stars and all(argument(call, place, binding.name) is None for call in calls)

    def _stays(self, like: cst.BaseExpression, use: cst.BaseExpression) -> bool:
        """Whether the tensor is the same one where its type is used."""
        names, tree = self.script.names, self.script.tree
        if not isinstance(like, cst.Name) or tree.function(like) is not tree.function(use):
            return False
        gone = any(tree.function(one) is tree.function(use) for one in tree.all(cst.Del))
        return len(names.bindings(like)) == 1 and not gone

    def _move(self, call: cst.Call, given: cst.Arg, like: cst.BaseExpression) -> None:
        edit = self.edit("TC180", call, f"takes type and device of `{code_of(like)}`")
        place = list(call.args).index(given)

        def rewritten(updated: cst.Call) -> cst.Call:
            assert isinstance(updated.func, cst.Attribute)
            other = self._typed_again(updated.args[place].value) or like
            args = [cst.Arg(other), *(arg for number, arg in enumerate(updated.args) if number != place)]
            func = updated.func.with_changes(attr=cst.Name("to"))
            return build.with_arguments(updated.with_changes(func=func), args)

        edit.replace(call, rewritten)

    def _typed_again(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """`y` of `y.type()`, with the edits inside it."""
        return node.func.value if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) else None

    def _construct(self, call: cst.Call) -> None:
        device = argument(call, None, "device")
        if device is None or self._is_host(device.value):
            return
        edit = self.edit("TC182", call, "is made on the CPU, and moved: the constructor takes no XLA device")

        def rewritten(updated: cst.Call) -> cst.BaseExpression:
            given = argument(updated, None, "device")
            if given is None:
                return updated
            made = build.without_argument(updated, "device")
            return build.expression("{made}.to({device})", made=made, device=given.value)

        edit.replace(call, rewritten)

    def _is_host(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Call) and self.script.qualified(node.func) == "torch.device" and len(node.args) == 1:
            return self._is_host(node.args[0].value)
        return text(node) == "cpu" or code_of(node) == "None"
