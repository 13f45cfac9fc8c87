"""Run mixed precision on the XLA device.

Left on "cuda", autocast is silently off: the script trains in float32. Up to torch_xla 2.0 `torch_xla.amp.autocast`
takes no device and keeps float16; from 2.1 `torch.autocast("xla", dtype=torch.bfloat16)` is the form that runs on
every XLA device, the CPU client included (`torch_xla.amp.autocast(device)` fails there up to 2.9). bfloat16 has the
range of float32, so losses need no scaling; its mantissa is shorter, so the first losses differ in the third digit.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom, Import
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SOURCE = (
    "torch_xla 1.13 amp/__init__.py, 2.1 and 2.9 amp/autocast_mode.py; SageMaker: PyTorch models, single GPU, step 3"
)
_CUDA_AUTOCASTS = ("torch.cuda.amp.autocast",)
_AUTOCASTS = ("torch.autocast", "torch.amp.autocast")
_PARTIALS = ("functools.partial",)


class Autocast(Codemod):
    """Run mixed precision on the XLA device."""

    STAGE = Stage.PRECISION
    RULES = (
        Rule("TC301", "autocast runs on the XLA device, in the same type", Safety.EXACT, document=_SOURCE),
        Rule("TC302", "autocast runs on the XLA device, in bfloat16", Safety.REVIEW,
             advice="compare the first losses: bfloat16 keeps 8 bits of mantissa", document=_SOURCE),
        Rule("TC303", "the autocast decorators of a custom autograd function", Safety.EXACT, document=_SOURCE),
        Rule("TC304", "mixed precision that has no counterpart", Safety.NOTE, Severity.WARNING,
             "check the type this code expects on the XLA device", _SOURCE),
        Rule("TC305", "a model or tensor is made half precision", Safety.NOTE, Severity.WARNING,
             "use autocast instead of .half(): float16 weights are not trained well, and torch_xla 2.1 computes "
             "nn.Linear on half tensors in float32", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nwith torch.cuda.amp.autocast():\n    loss = net(x)\n",
            smtc="import torch\nfrom torch_xla.amp import autocast\n\nwith autocast():\n    loss = net(x)\n",
            xla='import torch\n\nwith torch.autocast("xla", dtype=torch.bfloat16):\n    loss = net(x)\n',
        ),
        Example('import torch\n\nwith torch.autocast("cpu", dtype=torch.bfloat16):\n    loss = net(x)\n'),
    )

    def rewrite(self) -> None:
        for name in (*_CUDA_AUTOCASTS, *_AUTOCASTS):
            for found, node in self.script.names.uses(name):
                if found == name and self._is_named_there(node):
                    self._autocast(node, name in _CUDA_AUTOCASTS)
        for name, idiom in (("custom_fwd", Idiom.CUSTOM_FWD), ("custom_bwd", Idiom.CUSTOM_BWD)):
            for prefix in ("torch.cuda.amp.", "torch.amp."):
                for _, node in self.script.names.uses(prefix + name):
                    self._decorator(node, idiom)
        for name in ("torch.get_autocast_gpu_dtype", "torch.is_autocast_enabled", "torch.set_autocast_gpu_dtype"):
            for call in self.script.calls(name):
                self.note("TC304", call, f"{name.rpartition('.')[2]}() asks about CUDA's autocast")
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "half" and not call.args:
                if any(v.role in (Role.MODEL, Role.BATCH) for v in self.script.roles.values(call.func.value)):
                    self.note("TC305", call, f"{build.code_of(call.func.value)}.half() makes float16 tensors")

    def _is_named_there(self, node: cst.BaseExpression) -> bool:
        """Whether the node itself names the library's class, rather than a variable that holds it."""
        if isinstance(node, cst.Attribute):
            return True
        return any(binding.kind == "import" for binding in self.script.names.bindings(node)) or not (
            self.script.names.bindings(node)
        )

    def _autocast(self, node: cst.BaseExpression, is_cuda: bool) -> None:
        parent = self.script.tree.parent.get(node)
        if isinstance(parent, cst.Call) and parent.func is node:
            self._call(parent, is_cuda)
        elif isinstance(parent, cst.Arg) and self._is_partial(self.script.tree.parent.get(parent)):
            self._partial(node, self.script.tree.parent[parent], is_cuda)
        elif isinstance(parent, cst.Arg | cst.Annotation | cst.Subscript):
            self.note("TC304", node, "autocast is passed on as a value")
        elif is_cuda or self.can(Idiom.GRAD_SCALER):
            self._value(node)

    def _is_partial(self, node: cst.CSTNode | None) -> bool:
        return isinstance(node, cst.Call) and self.script.qualified(node.func) in _PARTIALS

    # --- calls ------------------------------------------------------------------------------------------------------

    def _call(self, call: cst.Call, is_cuda: bool) -> None:
        if any(arg.star for arg in call.args):
            self.note("TC304", call, "the arguments of autocast cannot be seen here")
            return
        if not is_cuda and not self._is_on_accelerator(argument(call, 0, "device_type")):
            return
        if not is_cuda and self._is_off_anywhere(call):
            return
        dtype = argument(call, 1, "dtype")
        edit = self._begin(call, dtype)
        positions = (0, 1, 2) if is_cuda else (2, 1, 3)

        def rewritten(updated: cst.Call) -> cst.BaseExpression:
            return self._said(edit, updated, positions)

        edit.replace(call, rewritten)

    def _is_off_anywhere(self, call: cst.Call) -> bool:
        """`torch.autocast(x.device.type, enabled=False)`, where torch knows the device type "xla"."""
        device, enabled = argument(call, 0, "device_type"), argument(call, 2, "enabled")
        off = enabled is not None and isinstance(enabled.value, cst.Name) and enabled.value.value == "False"
        named = device is not None and isinstance(device.value, cst.Attribute) and device.value.attr.value == "type"
        return off and named and not self.can(Idiom.GRAD_SCALER)

    def _begin(self, node: cst.CSTNode, dtype: cst.Arg | None) -> Edit:
        keeps = self.can(Idiom.GRAD_SCALER) or (dtype is not None and not self._is_float16(dtype.value))
        if keeps:
            return self.edit("TC301", node, "autocast runs on the XLA device")
        return self.edit("TC302", node, "autocast runs on the XLA device in bfloat16, where CUDA used float16")

    def _is_float16(self, node: cst.BaseExpression) -> bool:
        return self.script.qualified(node) in ("torch.float16", "torch.half")

    def _said(self, edit: Edit, updated: cst.Call, positions: tuple[int, int, int]) -> cst.BaseExpression:
        enabled = argument(updated, positions[0], "enabled")
        dtype = argument(updated, positions[1], "dtype")
        cache = argument(updated, positions[2], "cache_enabled")
        rest: list[str] = []
        if enabled is not None and not _is_true(enabled.value):
            rest.append(f"enabled={build.code_of(enabled.value)}")
        if cache is not None:
            rest.append(f"cache_enabled={build.code_of(cache.value)}")
        arguments = ", ".join(rest)
        if dtype is None or (
            build.code_of(dtype.value).endswith((".float16", ".half")) and not self.can(Idiom.GRAD_SCALER)
        ):
            return edit.say(Idiom.AUTOCAST, arguments=arguments)
        return edit.say(Idiom.AUTOCAST_DTYPE, dtype=dtype.value, arguments=arguments)

    def _is_on_accelerator(self, device: cst.Arg | None) -> bool:
        """Whether the device type of `torch.autocast(...)` is CUDA's: its name, or no plain string."""
        if device is None:
            return False
        if isinstance(device.value, cst.SimpleString):
            return device.value.raw_value == "cuda"
        return True

    # --- values -----------------------------------------------------------------------------------------------------

    def _value(self, node: cst.BaseExpression) -> None:
        """`amp_autocast = torch.cuda.amp.autocast`, called elsewhere."""
        edit = self._begin(node, None)
        said = edit.say(Idiom.AUTOCAST, arguments="")
        if isinstance(said, cst.Call) and not said.args:
            edit.replace(node, said.func)
            return
        edit.need(Import("functools"))
        assert isinstance(said, cst.Call)
        edit.replace(node, said.with_changes(
            func=build.expression("functools.partial"),
            args=[cst.Arg(said.func, comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))), *said.args],
        ))  # fmt: skip

    def _partial(self, node: cst.BaseExpression, partial: cst.CSTNode, is_cuda: bool) -> None:
        assert isinstance(partial, cst.Call)
        device = argument(partial, 1, "device_type")
        if not is_cuda and not self._is_on_accelerator(device):
            return
        edit = self._begin(partial, argument(partial, 2, "dtype"))

        def rewritten(updated: cst.Call) -> cst.Call:
            inner = updated.with_changes(args=updated.args[1:])
            said = self._said(edit, inner, (0, 1, 2) if is_cuda else (2, 1, 3))
            assert isinstance(said, cst.Call)
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            first = cst.Arg(said.func, comma=comma if said.args else cst.MaybeSentinel.DEFAULT)
            return updated.with_changes(args=[first, *said.args])

        edit.replace(partial, rewritten)

    # --- decorators of autograd functions ---------------------------------------------------------------------------

    def _decorator(self, node: cst.BaseExpression, idiom: Idiom) -> None:
        parent = self.script.tree.parent.get(node)
        call = parent if isinstance(parent, cst.Call) and parent.func is node else None
        cast = argument(call, None, "cast_inputs") if call is not None else None
        device = argument(call, None, "device_type") if call is not None else None
        if device is not None and not self._is_on_accelerator(device):
            return
        if cast is not None and idiom is Idiom.CUSTOM_FWD:
            idiom = Idiom.CUSTOM_FWD_CAST
        if not self.can(idiom):
            self.note("TC304", node, f"this torch_xla has no {idiom.value}")
            return
        edit = self.edit("TC303", call or node, "the custom autograd function follows XLA's autocast")
        holes = {"dtype": cast.value} if cast is not None else {}
        edit.replace(call or node, edit.say(idiom, **holes))


def _is_true(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "True"
