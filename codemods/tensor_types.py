"""Make tensors of CUDA types on the XLA device.

`torch.cuda.FloatTensor` is a type and a place at once. As a constructor it becomes the torch factory with `device=`
(`torch.cuda.LongTensor([1, 2])` is `torch.tensor([1, 2], dtype=torch.long, device=device)`, `torch.cuda.FloatTensor(4)`
is `torch.empty(4, ...)`); as the argument of `.type(...)` a move to the device and the type; in a comparison its name
on XLA (`"torch.xla.FloatTensor"`). An alias `Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor`, which in
many GANs is the only thing that places data, becomes a function of the same name. Where an option chooses, it goes on
choosing: `x.type(Tensor)` is `x.to(Tensor())`, the place and type of an empty tensor. What `Tensor` stands for where it
comes from another file, an attribute or a parameter is what the execution of the program shows. An attribute gets a
function that has a name, since what it belongs to may be pickled. A default CUDA type is the default device where torch
has one.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.entry import runs_ahead
from codemods.kit.names import Binding, argument
from codemods.kit.options import text
from codemods.kit.phrases import TORCH, Idiom, Version
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tensor_types import ON_CUDA, factory_of, is_attribute, is_kept, is_plain_alias, on_cuda, tensor_types

DTYPES = {
    "FloatTensor": "torch.float32", "HalfTensor": "torch.float16", "BFloat16Tensor": "torch.bfloat16",
    "DoubleTensor": "torch.float64", "LongTensor": "torch.int64", "IntTensor": "torch.int32",
    "ShortTensor": "torch.int16", "CharTensor": "torch.int8", "ByteTensor": "torch.uint8", "BoolTensor": "torch.bool",
}  # fmt: skip
_DOCUMENT = "torch 1.13 torch/tensor_docs.py, section torch.Tensor: data types"
_DEFAULT = "torch.set_default_tensor_type"
_SHUFFLES: Version = (2, 9)
"""The first torch that was asked whose loaders shuffle with XLA as the default device; that of 2.1 raises."""


class TensorTypes(Codemod):
    """Make tensors of CUDA types on the XLA device."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC131", "a CUDA tensor type as a constructor becomes a factory with a device", Safety.EXACT,
             document=_DOCUMENT),
        Rule("TC132", ".type() of a CUDA tensor type becomes .to() with the device and the type", Safety.EXACT,
             document=_DOCUMENT),
        Rule("TC133", "an alias of a CUDA tensor type becomes a function", Safety.REVIEW,
             advice="check that the alias is only called or passed to .type()", document=_DOCUMENT),
        Rule("TC134", "a test for a CUDA tensor type asks for the type on XLA", Safety.EXACT, document=_DOCUMENT),
        Rule("TC135", "the default tensor type is no CUDA type any more", Safety.REVIEW,
             advice="tensors are made on the CPU now: give the device where they are made"),
        Rule("TC139", "a default CUDA tensor type becomes the default device", Safety.REVIEW,
             document="torch 2.9 torch.set_default_device; factories, layers and loaders measured with torch_xla 2.9"),
        Rule("TC136", "factories relied on a default CUDA tensor type", Safety.NOTE, Severity.ERROR,
             advice="move the model and the tensors made without device= to the XLA device"),
        Rule("TC137", "a use of a CUDA tensor type that has no counterpart", Safety.NOTE, Severity.ERROR,
             advice="replace it by a torch dtype and the XLA device"),
        Rule("TC175", "whether a CUDA tensor type is among others", Safety.NOTE, Severity.INFO,
             advice="`type(x)` is torch.Tensor, and `x.type()` a text", document="asked of torch 2.1 and 2.9"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nlabels = torch.cuda.LongTensor([0, 1])\nx = images.type(torch.cuda.FloatTensor)\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\ndevice = xm.xla_device()\n"
            "labels = torch.tensor([0, 1], dtype=torch.int64, device=device)\n"
            "x = images.to(device=device, dtype=torch.float32)\n",
            xla="import torch\nimport torch_xla\n\ndevice = torch_xla.device()\n"
            "labels = torch.tensor([0, 1], dtype=torch.int64, device=device)\n"
            "x = images.to(device=device, dtype=torch.float32)\n",
        ),
        Example(before="import torch\n\nx = torch.FloatTensor(3)\n"),
    )

    def rewrite(self) -> None:
        self._made = set[str]()
        aliases = self._aliases()
        for binding in aliases:
            self._define_function(binding)
        defined = {binding.node for binding in aliases}
        for name, node in self.script.names.uses("torch.cuda"):
            last = name.removeprefix(ON_CUDA)
            statement = self.script.tree.small_statement(node)
            if last in DTYPES and statement not in defined:
                self._use(node, last)
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "type":
                self._convert_by_alias(call)
        if ON_CUDA in self.script.tree.source:
            for literal in self.script.tree.all(cst.SimpleString):
                if "Tensor" in literal.value and text(literal).startswith(ON_CUDA):
                    self._text(literal, text(literal).removeprefix(ON_CUDA))

    def _spelled(self, code: str) -> str:
        """The code with `torch` under the name the script imports it by."""
        return self.edits.imports.rename(code, (TORCH,))

    # --- uses -------------------------------------------------------------------------------------------------------

    def _use(self, node: cst.BaseExpression, kind: str) -> None:
        tree = self.script.tree
        parent = tree.parent[node]
        holder = tree.parent.get(parent)
        if isinstance(parent, cst.Call) and parent.func is node:
            self._construct(parent, kind)
        elif is_plain_alias(self.script, node):
            return  # its uses resolve to the type itself
        elif is_kept(self.script, node):
            edit = self.edit("TC133", node, "a function that makes tensors on the XLA device")
            made = self._function(edit, node, kind)
            operand = isinstance(parent, cst.IfExp | cst.BooleanOperation) and isinstance(made, cst.Lambda)
            edit.replace(node, build.parenthesized(made) if operand else made)
        elif isinstance(parent, cst.Comparison) and parent.left is node and _asks_among(parent):
            self.note("TC175", node, f"torch.cuda.{kind} is the type of no tensor, here as on CUDA")
        elif isinstance(parent, cst.Arg) and isinstance(holder, cst.Call):
            self._pass(holder, parent, node, kind)
        else:
            self._give_up(node, kind)

    def _pass(self, call: cst.Call, arg: cst.Arg, node: cst.BaseExpression, kind: str) -> None:
        name = self.script.qualified(call.func)
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "type" and name is None:
            self._convert(call, kind)
        elif name == _DEFAULT:
            self._set_default(call, kind)
        elif name == "builtins.isinstance" and len(call.args) == 2 and call.args[1] is arg:
            self._test(call, kind)
        else:
            self._give_up(node, kind)

    def _test(self, call: cst.Call, kind: str) -> None:
        """`isinstance(x, torch.cuda.FloatTensor)`."""
        edit = self.edit("TC134", call, "asks for the type on XLA")
        operand = isinstance(self.script.tree.parent.get(call), cst.Comparison | cst.ComparisonTarget)

        def rewritten(updated: cst.Call) -> cst.BaseExpression:
            made = build.expression(f'{{tensor}}.type() == "torch.xla.{kind}"', tensor=updated.args[0].value)
            return build.parenthesized(made) if operand else made

        edit.replace(call, rewritten)

    def _give_up(self, node: cst.BaseExpression, kind: str) -> None:
        self.note("TC137", node, f"torch.cuda.{kind} names a CUDA type: this use of it has no counterpart on XLA")

    def _construct(self, call: cst.Call, kind: str) -> None:
        """`torch.cuda.FloatTensor(2, 3)` makes an empty tensor, of a sequence a filled one."""
        edit = self.edit("TC131", call, "is made on the XLA device")
        device = edit.device(call)
        edit.need(TORCH)
        factory = factory_of(self.script, call)
        if not factory:
            # Sizes or values: only the constructor itself knows.
            host = cst.parse_expression(self._spelled(f"torch.{kind}"))
            moved = "{made}.to({device})"
            edit.replace(
                call, lambda updated: build.expression(moved, made=updated.with_changes(func=host), device=device)
            )
            return

        def rewritten(updated: cst.Call) -> cst.Call:
            made = updated.with_changes(func=cst.parse_expression(self._spelled(f"torch.{factory}")))
            if not made.args:
                made = made.with_changes(args=[cst.Arg(cst.Integer("0"))])
            made = build.with_keyword(made, "dtype", self._spelled(DTYPES[kind]))
            return build.with_keyword(made, "device", device)

        edit.replace(call, rewritten)

    def _convert(self, call: cst.Call, kind: str) -> None:
        edit = self.edit("TC132", call, "moves to the XLA device in its type")
        device = edit.device(call)
        edit.need(TORCH)

        def rewritten(updated: cst.Call) -> cst.Call:
            assert isinstance(updated.func, cst.Attribute)
            func = updated.func.with_changes(attr=cst.Name("to"))
            made = build.with_keyword(updated.with_changes(func=func, args=()), "device", device)
            return build.with_keyword(made, "dtype", self._spelled(DTYPES[kind]))

        edit.replace(call, rewritten)

    # --- texts and defaults -----------------------------------------------------------------------------------------

    def _text(self, literal: cst.SimpleString, kind: str) -> None:
        tree = self.script.tree
        parent = tree.parent[literal]
        holder = tree.parent.get(parent)
        if kind not in DTYPES:
            return
        if isinstance(parent, cst.Arg) and isinstance(holder, cst.Call):
            name = self.script.qualified(holder.func)
            if name == _DEFAULT:
                self._set_default(holder, kind)
            elif isinstance(holder.func, cst.Attribute) and holder.func.attr.value == "type" and name is None:
                self._convert(holder, kind)
        elif isinstance(parent, cst.Comparison | cst.ComparisonTarget | cst.Element):
            edit = self.edit("TC134", literal, "asks for the type on XLA")
            edit.replace(literal, literal.with_changes(value=literal.value.replace(ON_CUDA, "torch.xla.")))

    def _set_default(self, call: cst.Call, kind: str) -> None:
        if self._can_be_default_device(call):
            device = self.edit("TC139", call, "tensors are made on the XLA device")
            if kind != "FloatTensor":
                device.before(call, self._spelled(f"torch.set_default_dtype({DTYPES[kind]})"))
            device.replace(call, device.say(Idiom.SET_DEFAULT_DEVICE))
            for made in self.script.calls("torch.Tensor"):
                if argument(made, None, "device") is None:
                    self.note("TC136", made, "torch.Tensor(...) asks the default type, and not the default device")
            return
        edit = self.edit("TC135", call, "the default tensor type is a CPU type")
        if kind == "FloatTensor":  # the default of the default
            edit.remove(call)
        else:
            edit.replace(call.args[0].value, cst.parse_expression(f'"torch.{kind}"'))
        self.note("TC136", call, "every tensor made without device= was made on the GPU by this default")

    def _can_be_default_device(self, call: cst.Call) -> bool:
        """Whether the default device does the same: that of the thread that sets it, which torch_xla.launch leaves."""
        several = self.script.distributed or self.script.data_parallel
        inside = self.script.tree.function(call) is not None or not several
        alone = isinstance(self.script.tree.parent.get(call), cst.Expr)
        return self.can(Idiom.SET_DEFAULT_DEVICE) and self.edits.target.version >= _SHUFFLES and inside and alone

    # --- aliases ----------------------------------------------------------------------------------------------------

    def _aliases(self) -> list[Binding]:
        """`Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor`."""
        found: list[Binding] = []
        for scope in self.script.names.all_scopes():
            for bindings in scope.names.values():
                if len(bindings) == 1 and bindings[0].kind == "assign" and self._kind_of_alias(bindings[0]):
                    found.append(bindings[0])
        return found

    def _kind_of_alias(self, binding: Binding) -> str:
        value = binding.value
        if not isinstance(value, cst.IfExp) or binding.path or not isinstance(binding.node, cst.Assign):
            return ""
        arms = [self.script.qualified(arm) or "" for arm in (value.body, value.orelse)]
        kinds = {"FloatTensor" if arm == "torch.Tensor" else arm.rpartition(".")[2] for arm in arms}
        if len(kinds) != 1 or not arms[0].startswith(ON_CUDA) or not on_cuda(self.script, value.test):
            return ""
        kind = kinds.pop()
        return kind if kind in DTYPES else ""

    def _define_function(self, binding: Binding) -> None:
        """Where there is a GPU it is the CUDA type: the alias becomes a function that makes a tensor on the device."""
        edit = self.edit("TC133", binding.node, f"{binding.name} makes tensors on the XLA device")
        assert isinstance(binding.value, cst.IfExp)
        made = self._function(edit, binding.node, self._kind_of_alias(binding))
        edit.replace(binding.value, made, Stage.PROCESSES)  # before `is_available()` folds it

    def _function(self, edit: Edit, node: cst.CSTNode, kind: str) -> cst.BaseExpression:
        """What makes a tensor on the device as the type did. An object that keeps it may be pickled."""
        edit.need(TORCH)
        if is_attribute(self.script, node):
            return self._named_function(edit, node, kind)
        ahead = runs_ahead(self.script, node) and self.script.tree.function(node) is None
        device = code_of(edit.say(Idiom.DEVICE_BEFORE_PROCESSES) if ahead else edit.device(node))
        given = "given" if "args" in device else "args"
        return cst.parse_expression(self._spelled(f"lambda *{given}: torch.{kind}(*{given}).to({device})"))

    def _named_function(self, edit: Edit, node: cst.CSTNode, kind: str) -> cst.Name:
        """A function of the file, which pickle knows by its name."""
        tree = self.script.tree
        name = f"make_{kind.lower().removesuffix('tensor')}_tensor"
        while self.script.names.named(name):
            name += "_"
        if edit.allowed and kind not in self._made:
            first = next(each for each in [node, *tree.ancestors(node)] if tree.parent[each] is tree.module)
            device = code_of(edit.say(Idiom.DEVICE_BEFORE_PROCESSES))
            made = self._spelled(f"torch.{kind}(*args).to({device})")
            lines = [cst.EmptyLine(indent=False)] * 2 if self._made else []
            (function,) = build.statements(f"def {name}(*args):\n    return {made}\n")
            edit.before(first, [function.with_changes(leading_lines=lines)])
            self._made.add(kind)
        return cst.Name(name)

    def _convert_by_alias(self, call: cst.Call) -> None:
        """`x.type(Tensor)`, whatever `Tensor` is an alias of."""
        found = argument(call, 0, "dtype")
        if found is None or (self.script.qualified(found.value) or "").startswith(ON_CUDA):
            return
        types = tensor_types(self.script, found.value)
        if types and all(name.startswith(ON_CUDA) for name in types) and len(types) == 1:
            self._convert(call, next(iter(types)).removeprefix(ON_CUDA))
        elif any(name.startswith(ON_CUDA) for name in types):
            self._convert_like(call)

    def _convert_like(self, call: cst.Call) -> None:
        """`x.to(Tensor())`: a tensor that the alias makes tells the place and the type."""
        edit = self.edit("TC132", call, "moves to where the alias makes its tensors, in their type")

        def rewritten(updated: cst.Call) -> cst.BaseExpression:
            assert isinstance(updated.func, cst.Attribute)
            func = updated.func.with_changes(attr=cst.Name("to"))
            made = cst.Call(build.parenthesized(updated.args[0].value))
            return updated.with_changes(func=func, args=[cst.Arg(made)])

        edit.replace(call, rewritten)


def _asks_among(test: cst.Comparison) -> bool:
    return len(test.comparisons) == 1 and isinstance(test.comparisons[0].operator, cst.In | cst.NotIn)
