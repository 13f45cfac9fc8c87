"""Say what costs compilations, or runs on the CPU, on XLA.

XLA compiles a step for the shapes it has. What makes shapes depend on values (`nonzero`, `unique`, boolean masks) or on
the batch (padding to its longest sample) is compiled again and again, and needs the values on the host first. An
operation that torch_xla has not lowered is computed on the CPU in every step. Kernels written for CUDA do not run at
all. None of this can be mended from within the script alone: each is named where it stands, with its cost.

Only what runs in a training loop or in a module's `forward` is looked at; what is read from the device in a training
loop (`.item()`, `if loss > x:`) is the codemod `step_closure`.
"""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.asks import SPARSE
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.collates import padded
from codemods.kit.compiled import compiled
from codemods.kit.names import argument, dotted
from codemods.kit.options import text
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.step_code import StepCode

_EXTENSIONS = ("torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline",
               "torch.utils.cpp_extension.CUDAExtension")  # fmt: skip
_DYNAMIC = ("torch.nonzero", "torch.argwhere", "torch.unique", "torch.unique_consecutive", "torch.masked_select")
_DYNAMIC_METHODS = frozenset(("nonzero", "argwhere", "unique", "unique_consecutive", "masked_select"))
_UNLOWERED = {
    "torch.nn.functional.grid_sample": "aten::grid_sampler_2d", "torch.nn.functional.ctc_loss": "aten::_ctc_loss",
    "torch.nn.CTCLoss": "aten::_ctc_loss", "torch.nn.functional.embedding_bag": "aten::_embedding_bag",
    "torch.nn.EmbeddingBag": "aten::_embedding_bag",
}  # fmt: skip
_GRAPH_LOADERS = tuple(f"torch_geometric.{name}" for name in (
    "loader.DataLoader", "data.DataLoader", "loader.NeighborLoader", "loader.ClusterLoader", "data.ClusterLoader",
    "data.NeighborSampler", "loader.NeighborSampler", "loader.LinkNeighborLoader", "loader.HGTLoader"))  # fmt: skip
_FIXED_STEPS = ("euler", "midpoint", "rk4", "heun2", "heun3", "explicit_adams", "implicit_adams")
_JIT = ("torch.jit.script", "torch.jit.trace")
_TESTS = ("torch.isnan", "torch.isinf", "torch.isfinite", "torch.any", "torch.all", "torch.allclose", "torch.equal")
_TENSORS = (Role.TENSOR, Role.BATCH, Role.LOSS)
_SYNCS = "measured with torch_xla 2.1 and 2.9: one more execution and a transfer a step"


class Cautions(Codemod):
    """Say what costs compilations, or runs on the CPU, on XLA."""

    STAGE = Stage.TIDY
    EVERYWHERE = True  # what makes the batches has nothing of CUDA, as a rule
    RULES = (
        Rule("TC911", "a CUDA extension of the script's own", Safety.NOTE, Severity.ERROR,
             advice="write it with torch operations: XLA compiles and fuses them"),
        Rule("TC912", "a library of compiled kernels", Safety.NOTE, Severity.ERROR,
             advice="take it out, or choose the plain torch implementation"),
        Rule("TC913", "an optional library of compiled kernels", Safety.NOTE, Severity.WARNING,
             advice="see that the plain torch implementation is chosen"),
        Rule("TC914", "a shape that depends on values", Safety.NOTE, Severity.WARNING,
             advice="keep the shape: multiply by the mask, or use torch.where with three arguments", document=_SYNCS),
        Rule("TC915", "an operation that runs on the CPU", Safety.NOTE, Severity.WARNING,
             advice="expect a transfer to the host and back in every step; replace it if it is in the hot path",
             document="counters of torch_xla 2.1 and 2.9: aten:: fallbacks"),
        Rule("TC916", "torch.jit", Safety.NOTE, Severity.INFO,
             advice="leave it out of the training: XLA compiles the step anyway, and traces hold a device"),
        Rule("TC917", "a step that is compiled again for each value", Safety.NOTE, Severity.WARNING,
             advice="append loss.detach() to a list; keep a pointer on the device and write with index_copy_, read "
             "with index_select",
             document="measured with torch_xla 2.1 and 2.9: one compilation a step"),
        Rule("TC918", "batches as long as their longest sample", Safety.NOTE, Severity.WARNING,
             advice='pad to a fixed length: padding="max_length" with max_length=, or pad_to_multiple_of=; several '
             "processes whose graphs differ may stand still where they meet",
             document="SageMaker: Training Compiler troubleshooting, dynamic shapes; pytorch/xla issue 3908"),
        Rule("TC936", "a tensor that a loop fills element by element", Safety.NOTE, Severity.WARNING,
             advice="write all of them at once: F.one_hot(index, n), mask.scatter_(1, index[:, None], 1)",
             document="measured with torch_xla 2.1 and 2.9: a read and a compilation for each position"),
        Rule("TC937", "a tensor that is resized in place", Safety.NOTE, Severity.WARNING,
             advice="take the batch itself, `self.input = x`, or a new tensor: torch.empty(x.size(), device=device)",
             document="measured with torch_xla 2.1 and 2.9: one compilation a step"),
        Rule("TC925", "batches of graphs, each of a size of its own", Safety.NOTE, Severity.WARNING,
             advice="pad the graphs to fixed numbers of nodes and edges: torch_geometric.transforms.Pad",
             document="SageMaker: Training Compiler troubleshooting, dynamic shapes"),
        Rule("TC920", "a model shared between processes", Safety.NOTE, Severity.ERROR,
             advice="start the processes with torch_xla's launcher, and let xm.optimizer_step average the gradients",
             document="torch 2.9 multiprocessing/reductions.py: storages of the CPU and of CUDA only"),
        Rule("TC924", "a sparse tensor", Safety.NOTE, Severity.ERROR,
             advice="XLA has dense tensors only: use to_dense(), or index_add_ over the list of the entries",
             document="torch_xla 2.1 and 2.9: NotImplementedError, no SparseXLA backend"),
        Rule("TC928", "choices in a loop of a step that the host draws", Safety.NOTE, Severity.WARNING,
             advice="draw them as a tensor, and choose with torch.where",
             document="measured with torch_xla 2.9: a compilation a step"),
        Rule("TC939", "an adaptive solver of differential equations", Safety.NOTE, Severity.WARNING,
             advice="give it a method of fixed steps: method=\"rk4\", options={\"step_size\": ...}",
             document="measured with torch_xla 2.9 and torchdiffeq: a compilation for nearly every read of the solver"),
        Rule("TC919", "a branch on the value of a tensor", Safety.NOTE, Severity.WARNING,
             advice="use torch.where, or take the decision outside the model", document=_SYNCS),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import torch\nimport triton\n\nx = torch.zeros(2).cuda()\n"),
        Example(before="import torch\n\nindices = torch.nonzero(torch.ones(2))\n"),
    )

    def rewrite(self) -> None:
        self._said: set[tuple[str, cst.CSTNode | None, str]] = set()
        if not self.script.uses_torch:
            return
        self._padding()
        if self.script.on_cpu:
            return
        self._libraries()
        for call in self.script.calls(*_EXTENSIONS):
            self.note("TC911", call, "a kernel written for CUDA has to be compiled for a GPU, and XLA cannot call it")
        for call in self.script.calls(*_UNLOWERED):
            name = self.script.qualified(call.func) or ""
            self._once("TC915", call, f"{name} runs on the CPU in every step ({_UNLOWERED[name]})")
        for call in self.script.calls(*_JIT):
            self._once("TC916", call, f"{self.script.qualified(call.func)} compiles once more what XLA compiles")
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value == "share_memory":
                if self.script.is_a(call.func.value, Role.MODEL):
                    self._once("TC920", call, "processes cannot share the parameters of a model on an XLA device")
        for call in self.script.calls(*_GRAPH_LOADERS):
            self._once("TC925", call, "each number of nodes and of edges in a batch is compiled once")
        for call in self.script.calls("torchdiffeq.odeint", "torchdiffeq.odeint_adjoint"):
            method = argument(call, 5, "method")
            value = self.script.names.assigned(method.value) if method is not None else None
            known = text(method.value) or text(value) if method is not None else ""
            if known not in _FIXED_STEPS and not any(arg.star for arg in call.args):
                self._once("TC939", call, "a solver that chooses its steps decides each of them on the host")
        self._sparse()
        self._filled()
        self._resized()
        if self._step.bodies or self._step.functions:
            self._shapes()
            self._masks()
            self._branches()
            self._indexes()
            self._slices()
            self._graphs()

    def _once(self, rule: str, node: cst.CSTNode, message: str) -> None:
        """One note of a kind in a function is enough."""
        key = (rule, self.script.tree.function(node), message)
        if key not in self._said:
            self._said.add(key)
            self.note(rule, node, message)

    # --- where ------------------------------------------------------------------------------------------------------

    @cached_property
    def _step(self) -> StepCode:
        return StepCode(self.script)

    def _runs_each_step(self, node: cst.CSTNode) -> bool:
        if self.script.tree.function(node) in self._step.forwards:
            return True
        return any(outer in self._step.bodies for outer in self.script.tree.ancestors(node))

    # --- libraries --------------------------------------------------------------------------------------------------

    def _libraries(self) -> None:
        for node, message in compiled(self.script):
            optional = self.script.tree.enclosing(node, cst.Try, cst.If, cst.FunctionDef) is not None
            self._once("TC913" if optional else "TC912", node, message)

    # --- shapes -----------------------------------------------------------------------------------------------------

    def _shapes(self) -> None:
        for call in self.script.calls(*_DYNAMIC, "torch.where"):
            if self.script.qualified(call.func) == "torch.where" and len(call.args) != 1:
                continue
            if self._runs_each_step(call):
                self._once("TC914", call, f"{code_of(call.func)} gives a shape that depends on values")
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in _DYNAMIC_METHODS and self._is_tensor(func.value):
                if self._runs_each_step(call):
                    self._once("TC914", call, f".{func.attr.value}() gives a shape that depends on values")

    def _is_tensor(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Comparison):
            return self._is_tensor(node.left)
        return any(self.script.is_a(node, role) for role in _TENSORS) or self._is_input(node)

    def _is_input(self, node: cst.BaseExpression) -> bool:
        """A parameter of a forward."""
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        return any(
            binding.kind == "parameter"
            and self.script.tree.enclosing(binding.node, cst.FunctionDef) in self._step.forwards
            for binding in bindings
        )

    def _graphs(self) -> None:
        """`model(batch.x, batch.edge_index)`, of whatever loader."""
        if self.script.calls(*_GRAPH_LOADERS):
            return
        for part in self.script.tree.all(cst.Attribute):
            if part.attr.value == "edge_index" and self._is_of_a_loop(part.value):
                self._once("TC925", part, "each number of nodes and of edges in a batch is compiled once")

    def _is_of_a_loop(self, node: cst.BaseExpression) -> bool:
        """Whether it is what a loop that trains goes through, or made of it: what stands above has one shape."""
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name) else []
        loops = [outer for outer in self.script.tree.ancestors(node) if isinstance(outer, cst.For)]
        training = any(loop.body in self._step.bodies for loop in loops)
        return training and any(one.kind == "for" or one.node in loops for one in bindings)

    def _masks(self) -> None:
        """`x[x > 0]`, `x[mask]` with `mask = y == 1`, and choices that the host draws in a loop of a step."""
        for subscript in self.script.tree.all(cst.Subscript):
            if self._step.runs(subscript) and self._step.masked(subscript):
                self._once("TC914", subscript, "indexing with a mask gives a shape that depends on values")
        choices: list[cst.If | cst.IfExp] = [*self.script.tree.all(cst.If), *self.script.tree.all(cst.IfExp)]
        for choice in choices:
            if self._step.runs(choice) and self._step.drawn(choice.test):
                self._once("TC928", choice, "each outcome of the choices in this loop is compiled")

    def _branches(self) -> None:
        """`if torch.isnan(x).any():` in a forward."""
        for call in self.script.calls(*_TESTS):
            branch = self.script.tree.small_statement(call)
            if isinstance(branch, cst.If | cst.While) and self.script.tree.contains(branch.test, call):
                if self.script.tree.function(call) in self._step.forwards:
                    self._once("TC919", call, f"the host waits for {code_of(call)} in every forward")

    def _sparse(self) -> None:
        for call in self.script.calls(*SPARSE):
            self._once("TC924", call, f"{code_of(call.func)} makes a sparse tensor, which fails on an XLA device")
        for call in self.script.tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in ("to_sparse", "to_sparse_csr"):
                self._once(
                    "TC924", call, f".{call.func.attr.value}() makes a sparse tensor, which fails on an XLA device"
                )
        meaning = self.script.links.meaning
        known = meaning.sparse if meaning is not None else {}
        for call in self.script.tree.all(cst.Call) if known else ():
            made = known.get(self.script.roles.key(call))
            if made is not None:
                where = f"{made.path}:{made.line}"
                self._once("TC924", call, f"gives a sparse tensor, made at {where}, which fails on an XLA device")
        for call in self.script.calls("torch.nn.Embedding", "torch.nn.EmbeddingBag"):
            sparse = argument(call, None, "sparse")
            if sparse is not None and code_of(sparse.value) == "True":
                self._once("TC924", call, "sparse=True gives sparse gradients, which fail on an XLA device")

    def _slices(self) -> None:
        for part in self.script.tree.all(cst.Subscript):
            written = isinstance(self.script.tree.parent.get(part), cst.AssignTarget)
            if not written and self._step.runs(part) and self._step.moves(part):
                self._once("TC917", part, "reading a slice that moves compiles every step anew")
        self._written_slices()

    def _written_slices(self) -> None:
        """`self.queue[:, ptr : ptr + n] = keys` with `ptr = int(self.pointer)`, or a `ptr` that the loop counts up."""
        for assign in self.script.tree.all(cst.Assign):
            target = assign.targets[0].target
            if not isinstance(target, cst.Subscript) or not (self._is_tensor(target.value) or self._is_buffer(target)):
                continue
            slices = [part.slice for part in target.slice if isinstance(part.slice, cst.Slice)]
            bounds = [bound for part in slices for bound in (part.lower, part.upper) if isinstance(bound, cst.Name)]
            if any(map(self._moves, bounds)) and (self._is_method(assign) or self._runs_each_step(assign)):
                self._once("TC917", assign, "writing to a slice that moves compiles every step anew")

    def _is_buffer(self, target: cst.Subscript) -> bool:
        """Whether what is written to is a buffer of a module: `self.queue` after `register_buffer("queue", ...)`."""
        name, class_ = dotted(target.value) or "", self.script.tree.class_of(target)
        return any(
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "register_buffer"
            and call.args
            and name == f"self.{text(call.args[0].value)}"
            and self.script.tree.class_of(call) is class_
            for call in self.script.tree.all(cst.Call)
        )

    def _is_method(self, node: cst.CSTNode) -> bool:
        """Whether it is in a method of a module, other than the one that builds it."""
        function, class_ = self.script.tree.function(node), self.script.tree.class_of(node)
        built = function is None or function.name.value == "__init__"
        return not built and class_ is not None and self.script.roles.class_role(class_) is Role.MODEL

    def _moves(self, name: cst.Name) -> bool:
        """Whether a number is another one in each step: counted up, or read from a tensor."""
        for binding in self.script.names.bindings(name):
            value = binding.value
            if binding.kind == "augmented":
                return True
            if isinstance(value, cst.Call) and binding.kind == "assign":
                reads = isinstance(value.func, cst.Attribute) and value.func.attr.value == "item"
                if reads or self.script.qualified(value.func) == "builtins.int":
                    return True
        return False

    def _filled(self) -> None:
        for assign in self.script.tree.all(cst.Assign):
            loop = self._step.filled(assign)
            if loop is not None:
                self._once("TC936", loop, "each position that this loop writes to is compiled, each time anew")

    def _resized(self) -> None:
        """`self.input.resize_(x.size()).copy_(x)`: what it held before is part of each step's graph."""
        for call in self.script.tree.all(cst.Call):
            if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in ("resize_", "resize_as_"):
                continue
            function, held = self.script.tree.function(call), call.func.value
            kept = isinstance(held, cst.Attribute) and function is not None and function.name.value != "__init__"
            if kept or (isinstance(held, cst.Name) and self._runs_each_step(call)):
                self._once("TC937", call, "a tensor that is resized in place compiles every step anew")

    def _indexes(self) -> None:
        """`losses[i] = loss` in `for i, batch in enumerate(loader)`."""
        for assign in self.script.tree.all(cst.Assign):
            target = assign.targets[0].target
            if not isinstance(target, cst.Subscript) or not self.script.is_a(assign.value, Role.LOSS):
                continue
            index = target.slice[0].slice if len(target.slice) == 1 else None
            value = index.value if isinstance(index, cst.Index) else None
            counted = isinstance(value, cst.Name) and any(b.kind == "for" for b in self.script.names.bindings(value))
            if counted and self._is_tensor(target.value) and self._runs_each_step(assign):
                self._once("TC917", assign, "writing at an index that changes compiles every step anew")

    # --- padding ----------------------------------------------------------------------------------------------------

    def _padding(self) -> None:
        for call in padded(self.script):
            self._once("TC918", call, "each length of a batch is compiled once")
        if "padding" not in self.script.tree.source and "DataCollator" not in self.script.tree.source:
            return
        for call in self.script.tree.all(cst.Call):
            padding = argument(call, None, "padding")
            name = (self.script.qualified(call.func) or dotted(call.func) or "").rpartition(".")[2]
            if argument(call, None, "pad_to_multiple_of") is not None:
                continue
            whole = padding is not None and (text(padding.value) == "longest" or code_of(padding.value) == "True")
            tokenizes = "tokenizer" in name.lower() or name in ("pad", "encode_plus", "batch_encode_plus")
            collates = name in ("DataCollatorWithPadding", "DataCollatorForTokenClassification")
            if (whole and tokenizes) or (collates and padding is None):
                self._once("TC918", call, "each length of a batch is compiled once")
