"""Remove the flags of CUDA's libraries.

`torch.backends.cudnn.benchmark`, `allow_tf32` and their relatives choose among cuDNN's and cuBLAS's algorithms, which
XLA does not use. They are harmless where they stand, but they mislead: the assignments and calls go. So do the
environment variables that configure CUDA from within the script; those that choose GPUs are the codemod
`visible_devices`. `torch.use_deterministic_algorithms(True)` stays: it also concerns the CPU.

Who turns TensorFloat-32 off wants float32 multiplied as float32. A TPU takes bfloat16 for it unless it is told, so such
a flag becomes `set_mat_mul_precision("highest")` where torch_xla has that. Who allows TensorFloat-32 asks for speed,
which is what a TPU does by itself.

A flag that is read, or whose value is computed by a call that may do more, is left with a note.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import is_pure
from codemods.kit.options import text
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_LIBRARIES = ("torch.backends.cudnn", "torch.backends.cuda")
_CALLS = ("torch.set_float32_matmul_precision", "torch.backends.cuda.*", "torch.backends.cudnn.set_flags")
_CONTEXTS = ("torch.backends.cudnn.flags", "torch.backends.cuda.sdp_kernel")
_ASKS = ("version", "is_available", "is_built", "is_acceptable", "is_flash_attention_available", "_enabled")
_TF32 = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
_IEEE = tuple(f"torch.backends.{name}fp32_precision" for name in ("", "cuda.matmul.", "cudnn.", "cudnn.conv."))
_PRECISE = '"highest"'
_VARIABLES = frozenset(
    ("CUDA_LAUNCH_BLOCKING", "CUBLAS_WORKSPACE_CONFIG", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF",
     "CUDA_CACHE_DISABLE", "CUDA_CACHE_PATH", "CUDA_CACHE_MAXSIZE", "CUDA_MODULE_LOADING",
     "CUDA_DEVICE_MAX_CONNECTIONS", "PYTORCH_NO_CUDA_MEMORY_CACHING", "TORCH_CUDNN_V8_API_ENABLED",
     "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "NVIDIA_TF32_OVERRIDE", "NCCL_BLOCKING_WAIT", "NCCL_ASYNC_ERROR_HANDLING",
     "TORCH_NCCL_BLOCKING_WAIT", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_AVOID_RECORD_STREAMS")
)  # fmt: skip


class BackendFlags(Codemod):
    """Remove the flags of CUDA's libraries."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC157", "a flag of cuDNN or cuBLAS goes", Safety.EXACT,
             document="torch 2.9 torch/backends/cudnn/__init__.py: read by CUDA kernels alone"),
        Rule("TC158", "an environment variable of CUDA goes", Safety.EXACT),
        Rule("TC160", "a flag for full float32 becomes XLA's", Safety.EXACT,
             document="torch_xla 2.9 backends/__init__.py set_mat_mul_precision: on a TPU, default is bfloat16"),
        Rule("TC159", "a flag of cuDNN or cuBLAS is read", Safety.NOTE, Severity.INFO,
             advice="it says nothing about an XLA device: remove what depends on it"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nimport torch.backends.cudnn as cudnn\n\ncudnn.benchmark = True\n"
            "torch.backends.cuda.matmul.allow_tf32 = True\n"
            'torch.set_float32_matmul_precision("high")\ntorch.manual_seed(0)\n',
            smtc="import torch\n\ntorch.manual_seed(0)\n",
            xla="import torch\n\ntorch.manual_seed(0)\n",
        ),
        Example(
            before="import torch\n\ntorch.backends.cuda.matmul.allow_tf32 = args.tf32\ntorch.manual_seed(0)\n",
            smtc="import torch\n\ntorch.manual_seed(0)\n",
            xla="import torch\nfrom torch_xla.backends import set_mat_mul_precision\n\n"
            'set_mat_mul_precision("default" if args.tf32 else "highest")\ntorch.manual_seed(0)\n',
        ),
        Example(before="import torch\n\ntorch.use_deterministic_algorithms(True)\n"),
    )

    def rewrite(self) -> None:
        self._precise: set[tuple[cst.CSTNode | None, str]] = set()
        source = self.script.tree.source
        if "cudnn" in source or "backends" in source or "set_float32" in source:
            for assign in self.script.tree.all(cst.Assign):
                self._assign(assign)
            for call in self.script.calls(*_CONTEXTS):
                self._dissolve(call)
            for call in self.script.calls(*_CALLS):
                self._call(call)
            for library in _LIBRARIES:
                for name, node in self.script.names.uses(library):
                    self._read(name, node)
        if self.script.uses_torch:
            for access, key in self.script.ranks.environment:
                if key in _VARIABLES:
                    self._variable(access, key)

    # --- flags --------------------------------------------------------------------------------------------------------

    def _assign(self, assign: cst.Assign) -> None:
        flags = [self._is_flag(target) for each in assign.targets for target in _each(each.target)]
        if not any(flags):
            return
        if all(flags) and is_pure(assign.value):
            names = {self.script.qualified(each.target) for each in assign.targets}
            precise = _precision(assign.value, "False") if names & {*_TF32} else ""
            precise = _precision(assign.value, '"ieee"') if names & {*_IEEE} else precise
            if self._ask_precise(assign, precise):
                return
            self.edit("TC157", assign, "chooses algorithms of CUDA's libraries, which XLA does not use").remove(assign)
        else:
            self.note("TC159", assign, "a flag of CUDA's libraries, set together with something else")

    def _is_flag(self, target: cst.BaseExpression) -> bool:
        if not isinstance(target, cst.Attribute):
            return False
        name = self.script.qualified(target) or ""
        return name.startswith(tuple(f"{library}." for library in _LIBRARIES))

    def _dissolve(self, call: cst.Call) -> None:
        item = self.script.tree.parent.get(call)
        if isinstance(item, cst.WithItem | cst.Decorator) and getattr(item, "asname", None) is None:
            edit = self.edit("TC157", call, "chooses algorithms of CUDA's libraries, which XLA does not use")
            edit.replace(item, lambda updated: None)

    def _call(self, call: cst.Call) -> None:
        statement = self.script.tree.parent.get(call)
        if isinstance(statement, cst.Expr):
            if self.script.qualified(call.func) == "torch.set_float32_matmul_precision" and len(call.args) == 1:
                precise = _precision(call.args[0].value, _PRECISE)
                if self._ask_precise(statement, precise):
                    return
            edit = self.edit("TC157", call, "chooses algorithms of CUDA's libraries, which XLA does not use")
            edit.remove(call)

    def _ask_precise(self, statement: cst.Assign | cst.Expr, precise: str) -> bool:
        """A flag by which the script does without bfloat16, or may: it asks XLA, once for flags side by side."""
        if not precise or not self.can(Idiom.MATMUL_PRECISION):
            return False
        line = self.script.tree.parent[statement]
        beside = (self.script.tree.parent.get(line), precise)
        edit = self.edit("TC160", statement, "float32 is multiplied as float32")
        if beside in self._precise:
            edit.remove(statement)
        else:
            made = edit.say(Idiom.MATMUL_PRECISION, precision=precise)
            edit.replace(statement, cst.Expr(made))
        self._precise.add(beside)
        return True

    def _read(self, name: str, node: cst.BaseExpression) -> None:
        """What is left of the libraries: reads of flags, versions, contexts made elsewhere."""
        tree = self.script.tree
        last = name.rpartition(".")[2]
        holder = tree.parent.get(node)
        call = holder if isinstance(holder, cst.Call) and holder.func is node else None
        statement = tree.small_statement(node)
        if name in _LIBRARIES or {call, statement} & self.edits.touched or self._is_alias(node):
            return
        if last in _ASKS or call is None or name in _CONTEXTS or not isinstance(tree.parent.get(call), cst.Expr):
            self.note("TC159", node, f"asks CUDA's libraries: {code_of(node)}")

    def _is_alias(self, node: cst.BaseExpression) -> bool:
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return any(binding.kind == "assign" for binding in bindings)

    # --- the environment ----------------------------------------------------------------------------------------------

    def _variable(self, node: cst.CSTNode, key: str) -> None:
        tree = self.script.tree
        statement = tree.small_statement(node)
        written = isinstance(statement, cst.Assign) and all(target.target is node for target in statement.targets)
        called = isinstance(statement, cst.Expr) and statement.value is node
        if statement is not None and (written or called or isinstance(statement, cst.Del)):
            self.edit("TC158", node, f"{key} configures CUDA").remove(statement)


def _precision(value: cst.BaseExpression, asked: str) -> str:
    """The precision of XLA for what a flag is set to: "highest" for what is `asked`, nothing for another constant."""
    code = f'"{text(value)}"' if isinstance(value, cst.SimpleString) else code_of(value)
    if code == asked:
        return _PRECISE
    if isinstance(value, cst.SimpleString | cst.Integer) or code in ("True", "None"):
        return ""
    if asked == "False":
        chosen = build.parenthesized(value) if isinstance(value, cst.IfExp | cst.Lambda) else value
        return f'"default" if {code_of(chosen)} else {_PRECISE}'
    return f'{_PRECISE} if {code_of(build.parenthesized(value))} == {asked} else "default"'


def _each(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _each(element.value)
    else:
        yield target
