"""Say what is left of CUDA.

The other codemods rewrite what they can prove and note what they cannot. What neither of them speaks of, because it is
new, rare, or written in a way that hides what it is, must not stay unseen: each use of `torch.cuda`,
`torch.distributed`, a parallel wrapper, NVIDIA's libraries, a CUDA device or `.cuda()` that the migrated script still
has is named at its line.

What a codemod has decided to keep, or has noted, is not repeated. With single codemods selected this one is silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.options import text
from codemods.kit.roles import WRAPPERS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_NEEDS_CUDA = (
    "torch.cuda",
    "apex",
    "horovod.torch",
    "smdistributed",
    "torch.utils.cpp_extension.CUDAExtension",
    "torch.nn.parallel._functions",
    "torch.nn.parallel.replicate",
    "torch.nn.parallel.scatter_gather",
    "torch.nn.parallel.parallel_apply",
)
_GROUP = ("torch.distributed",)
_NO_GROUP = ("torch.distributed.rpc", "torch.distributed.optim", "torch.distributed.autograd",
             "torch.distributed.elastic")  # fmt: skip
"""What talks between hosts without a process group of CUDA's."""
_ASKS = ("torch.accelerator", "torch.backends.cudnn", "torch.backends.cuda")
_CUDA = re.compile(r"cuda(:\d+)?$")
_TAKES_DEVICE = ("torch.device", "torch.autocast", "torch.amp.autocast", "torch.Generator", "torch.amp.GradScaler")
_DEVICE_KEYWORDS = frozenset(("device", "map_location", "device_type", "device_map", "pin_memory_device"))


class Leftovers(Codemod):
    """Say what is left of CUDA."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC990", "something that needs CUDA is left as it is", Safety.NOTE, Severity.ERROR,
             advice="decide it by hand: it fails, or does something else, without CUDA"),
        Rule("TC991", "something about CUDA or a device is left as it is", Safety.NOTE, Severity.WARNING,
             advice="check that it means the same on the XLA device"),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import torch\n\nprint(torch.cuda.some_new_call())\n"),
        Example(before='"""Trains on cuda."""\n\nprint("cuda")\n'),
    )  # fmt: skip

    def rewrite(self) -> None:
        """What is left shows when every edit is made."""

    def review(self, result: cst.Module, text: str) -> None:
        """Note what was in the source, is still in the result, and nobody has spoken of."""
        found = [(rule, node) for rule, node in self._constructs() if not self._is_settled(node)]
        if not found:
            return
        kept = self.script.tree.kept_by(result)
        said: set[tuple[int, str]] = set()
        for rule, node in found:
            name = self.script.qualified(node) or code_of(node)
            key = (self.script.tree.line(node), name)
            if key not in said and not kept.isdisjoint((node, *self.script.tree.ancestors(node))):
                said.add(key)
                self.note(rule, node, f"{name} is left as it is")

    def _is_settled(self, node: cst.CSTNode) -> bool:
        """Whether a note speaks of the node or of what holds it in its statement. For a name or a call an edit is
        enough: `GradScaler` stays as it is written when it is imported from elsewhere."""
        spoken = self.edits.noted if isinstance(node, cst.Attribute | cst.SimpleString) else self.edits.touched
        if node in self.edits.touched:
            return True
        for outer in self.script.tree.ancestors(node):
            if isinstance(outer, cst.BaseStatement | cst.BaseSuite | cst.Module):
                return False
            if outer in spoken:
                return True
        return False

    # --- constructs -------------------------------------------------------------------------------------------------

    def _constructs(self) -> Iterator[tuple[str, cst.CSTNode]]:
        yield from self._uses("TC990", _NEEDS_CUDA)
        yield from self._uses("TC991", _ASKS)
        if not self.script.group.is_xla and not self.script.is_driven:
            yield from self._uses("TC990", _GROUP)
            yield from self._uses("TC990", tuple(WRAPPERS))
            yield from self._backends()
        if self.script.uses_torch:
            yield from self._moves()
            yield from self._devices()

    def _uses(self, rule: str, libraries: tuple[str, ...]) -> Iterator[tuple[str, cst.CSTNode]]:
        for library in libraries:
            for name, node in self.script.names.uses(library):
                if not name.startswith(_NO_GROUP) and not self._only_names(node):
                    yield ("TC991" if library in _GROUP and self._is_asked_for(node) else rule), node

    def _only_names(self, node: cst.BaseExpression) -> bool:
        """An annotation, a question whether there is such a name, or a name of the script's own for something."""
        tree, parent = self.script.tree, self.script.tree.parent.get(node)
        if isinstance(node, cst.Name) and any(b.kind == "assign" for b in self.script.names.bindings(node)):
            return True
        if tree.enclosing(node, cst.Annotation) is not None:
            return True
        call = tree.parent.get(parent) if isinstance(parent, cst.Arg) else None
        asked = self.script.qualified(call.func) if isinstance(call, cst.Call) else None
        compared = call is not None and isinstance(tree.parent.get(call), cst.Comparison)
        return asked == "builtins.hasattr" or (asked == "builtins.getattr" and compared)

    def _is_asked_for(self, node: cst.BaseExpression) -> bool:
        """Below `if hasattr(dist, "_backend")`: a name of torch that only some versions of it have."""
        tree = self.script.tree
        owner = code_of(node.value) if isinstance(node, cst.Attribute) else ""
        for outer in tree.ancestors(node):
            if isinstance(outer, cst.If | cst.IfExp) and not tree.contains(outer.test, node):
                test, runs = outer.test, tree.contains(outer.body, node)
                if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
                    test, runs = test.expression, not runs
                if isinstance(test, cst.Call) and self.script.qualified(test.func) == "builtins.hasattr" and runs:
                    return owner.split(".")[0] == code_of(test.args[0].value)
        return False

    def _backends(self) -> Iterator[tuple[str, cst.CSTNode]]:
        for call in self.script.calls("torch.distributed.init_process_group", "torch.distributed.new_group"):
            backend = argument(call, 0, "backend")
            if backend is not None and text(backend.value) in ("nccl", "smddp"):
                yield "TC990", backend.value

    def _moves(self) -> Iterator[tuple[str, cst.CSTNode]]:
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in ("cuda", "pin_memory"):
                if self.script.qualified(func) is None and not self._is_own(func.value):
                    yield ("TC990" if func.attr.value == "cuda" else "TC991"), call

    def _is_own(self, owner: cst.BaseExpression) -> bool:
        """An object of a class of the script that is no module."""
        return any(isinstance(value.origin, cst.ClassDef) for value in self.script.roles.values(owner))

    def _devices(self) -> Iterator[tuple[str, cst.CSTNode]]:
        """`"cuda:0"` where a device is expected."""
        if "cuda" not in self.script.tree.source:
            return
        tree = self.script.tree
        for literal in tree.all(cst.SimpleString):
            arg = tree.parent.get(literal)
            if not isinstance(arg, cst.Arg | cst.IfExp) or not _CUDA.match(text(literal)):
                continue
            call = tree.parent.get(arg)
            if isinstance(arg, cst.IfExp):
                means_device = isinstance(call, cst.Arg) and self._is_handed_on(call, arg)
            else:
                means_device = isinstance(call, cst.Call) and self._takes_device(call, arg)
            if means_device:
                yield ("TC991" if self._is_unused(call) else "TC990"), literal

    def _is_unused(self, call: cst.CSTNode | None) -> bool:
        """Whether a text goes into an object of the script's own, and the execution saw nobody use it as a device."""
        names = self.script.names
        own = isinstance(call, cst.Call) and (names.local_class(call.func) or names.local_function(call.func))
        return bool(own) and self.script.links.meaning is not None

    def _is_handed_on(self, arg: cst.Arg, choice: cst.IfExp) -> bool:
        """`to_device(batch, "cuda" if ngpu > 0 else "cpu")`: a choice between devices for a function elsewhere."""
        call = self.script.tree.parent.get(arg)
        known = self.script.qualified(call.func) or "" if isinstance(call, cst.Call) else "builtins."
        judge = self.script.accelerator
        other = judge.is_other(choice.body) or judge.is_other(choice.orelse)
        said = isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and not known
        return other and not said and not known.startswith(("builtins.", "logging."))

    def _takes_device(self, call: cst.Call, arg: cst.Arg) -> bool:
        if arg.keyword is not None:
            return arg.keyword.value in _DEVICE_KEYWORDS
        moves = isinstance(call.func, cst.Attribute) and call.func.attr.value == "to"
        return moves or (self.script.qualified(call.func) or "") in _TAKES_DEVICE
