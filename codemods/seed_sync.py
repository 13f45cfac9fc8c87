"""Start every process from the same weights.

DistributedDataParallel copies the first process's parameters and buffers to the others when it wraps a model, so a
script could leave the initialisation unseeded, or seed it by rank. Without the wrapper every process would train a
model of its own: the gradients are averaged, but they are gradients of different weights, and nothing fails.

Where the same seed is certainly set before the model is built, nothing is needed: parameters are initialised on the
host. Elsewhere the model is broadcast from the first process, at the place where DDP did it. A `DataParallel` script
had one process and one model; as it becomes several, the same goes for it, once the model is on its device. A target
without such a broadcast gets a seed before the model is built. A script that was migrated by hand, and has neither a
seed nor a broadcast, is told so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from codemods.kit.bound import outside
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.entry import trains_by_xla_ranks
from codemods.kit.guards import is_rank
from codemods.kit.launch import Launch
from codemods.kit.names import argument, dotted
from codemods.kit.phrases import Idiom
from codemods.kit.roles import WRAPPERS, Role, Value, sorted_values
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_SEEDS = ("torch.manual_seed", "torch.random.manual_seed", "transformers.set_seed", "accelerate.utils.set_seed",
          "transformers.trainer_utils.set_seed", "pytorch_lightning.seed_everything",
          "lightning.seed_everything")  # fmt: skip
_FILLS = ("apply", "reset_parameters", "init_weights", "initialize_weights")
_BROADCASTS = ("broadcast_master_param", "collective_broadcast")
_SOURCE = (
    "torch_xla 2.1 core/xla_model.py broadcast_master_param; SageMaker: Training Compiler troubleshooting, convergence"
)


class SeedSync(Codemod):
    """Start every process from the same weights."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC541", "the model is broadcast from the first process", Safety.EXACT, document=_SOURCE),
        Rule("TC542", "a seed is set before the model is built", Safety.REVIEW,
             advice="any constant does, if it is the same on every process", document=_SOURCE),
        Rule("TC544", "a script migrated by hand does not make its processes start from the same weights", Safety.NOTE,
             Severity.WARNING, "set one seed on every process before the model is built, or broadcast it", _SOURCE),
        Rule("TC543", "nothing makes the processes start from the same weights", Safety.NOTE, Severity.ERROR,
             "set the same seed on every process before the model is built: torch.manual_seed(seed)", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n\n"
            "net = torch.nn.Linear(4, 2).to(device)\nmodel = DDP(net)\n",
            smtc="import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
            "import torch_xla.core.xla_model as xm\n\n"
            "net = torch.nn.Linear(4, 2).to(device)\nmodel = DDP(net)\n"
            "xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))\nxm.mark_step()\n",
            xla="import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
            "import torch_xla.core.xla_model as xm\n\n"
            "net = torch.nn.Linear(4, 2).to(device)\nmodel = DDP(net)\nxm.broadcast_master_param(model)\n",
        ),
        Example(
            before="import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n\n"
            "torch.manual_seed(0)\nnet = torch.nn.Linear(4, 2).to(device)\nmodel = DDP(net)\n",
        ),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return
        if self.script.launch.kind is Launch.XLA or trains_by_xla_ranks(self.script):
            self._by_hand()
            return
        kinds = {"DistributedDataParallel"}
        if self.script.launch.kind is Launch.DATA_PARALLEL:
            kinds.add("DataParallel")
        self._synced: set[tuple[str, cst.CSTNode]] = set()
        for call in self.script.calls(*(name for name, kind in WRAPPERS.items() if kind in kinds)):
            if not self._is_seeded(call):
                self._sync(call, WRAPPERS[self.script.qualified(call.func) or ""])
        for call in self.script.tree.all(cst.Call):
            kind = self._own_wrapper(call)
            if kind in kinds and not self._is_seeded(call):
                self._sync(call, kind)

    def _own_wrapper(self, call: cst.Call) -> str:
        """The wrapper that a class of the script derives from, of which a call makes one."""
        found = self.script.names.local_class(call.func)
        bases = [self.script.qualified(base.value) or "" for base in found.bases] if found is not None else []
        return next((WRAPPERS[base] for base in bases if base in WRAPPERS), "")

    def _by_hand(self) -> None:
        """Say where a model is built that no seed and no broadcast makes the same on every process."""
        if any(self.script.calls(f"torch_xla.core.xla_model.{name}") for name in _BROADCASTS):
            return
        if not self.script.loops.train_loops():
            return
        for value in self._trained_models():
            if "pretrained" not in value.of and not self._is_seeded_before(value.origin):
                self.note("TC544", value.origin, "each process may start from weights of its own", value.evidence)
                return

    def _trained_models(self) -> Iterator[Value]:
        """The models built in this file whose parameters an optimizer of it is given."""
        made = [call for call in self.script.tree.all(cst.Call) if self.script.is_a(call, Role.OPTIMIZER)]
        for call in made:
            for part in (part for arg in call.args for part in walk(arg) if isinstance(part, cst.Name | cst.Attribute)):
                for value in sorted_values(self.script.roles.values(part)):
                    if value.role is Role.MODEL and isinstance(value.origin, cst.Call):
                        yield value

    # --- is there a seed ----------------------------------------------------------------------------------------

    def _is_seeded(self, wrap: cst.Call) -> bool:
        """Whether every process certainly builds this model from the same seed."""
        inner = argument(wrap, 0, "module")
        value = self.script.value(inner.value, Role.MODEL) if inner is not None else None
        return self._is_seeded_before(value.origin if value is not None and type(value.origin) is cst.Call else wrap)

    def _is_seeded_before(self, made: cst.CSTNode) -> bool:
        """Whether the same seed is certainly set before this call, on every process."""
        seeds = self.script.calls(*_SEEDS)
        if not seeds or any(self._depends_on_rank(arg.value) for seed in seeds for arg in seed.args):
            return False
        if not isinstance(made, cst.Call):
            return False
        places = self._places(made, False)
        return any(
            self._precedes(seed, place) for call in seeds for seed in self._places(call, True) for place in places
        )

    def _places(self, call: cst.Call, unconditionally: bool, depth: int = 0) -> list[cst.Call]:
        """A call, and the calls of the functions of the script that lead to it."""
        function = self.script.tree.function(call)
        if function is None or depth > 3 or (unconditionally and self._conditions(call)):
            return [call]
        if function is self.script.launch.worker:
            return [call]  # a seed of the process that spawns it says nothing in a process that is spawned
        found = [call]
        for site in self.script.roles.call_sites(function):
            found += self._places(site, unconditionally, depth + 1)
        return found

    def _conditions(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """The `if`, `for`, `while` and `try` around a node in its function."""
        function = self.script.tree.function(node)
        found: list[cst.CSTNode] = []
        for outer in self.script.tree.ancestors(node):
            if outer is function:
                break
            if isinstance(outer, cst.If | cst.For | cst.While | cst.Try) and not self.script.is_main_guard(outer):
                found.append(outer)
        return found

    def _precedes(self, seed: cst.Call, made: cst.Call) -> bool:
        tree = self.script.tree
        inner, outer = tree.function(seed), tree.function(made)
        if inner is not outer and inner is not None:
            return False
        if inner is None and outer is not None and self._is_in_guard(seed):
            return False
        around = self._conditions(made)
        return tree.before(seed, made) and all(condition in around for condition in self._conditions(seed))

    def _is_in_guard(self, node: cst.CSTNode) -> bool:
        return any(self.script.is_main_guard(outer) for outer in self.script.tree.ancestors(node))

    def _depends_on_rank(self, node: cst.BaseExpression, depth: int = 0) -> bool:
        """Whether a seed differs, or may differ, between the processes."""
        for part in walk(node):
            if not isinstance(part, cst.Name | cst.Attribute | cst.Call | cst.Subscript):
                continue
            if is_rank(self.script, part):
                return True
            if isinstance(part, cst.Call) and (self.script.qualified(part.func) or "").startswith(
                ("time.", "random.", "numpy.")
            ):
                return True
            if isinstance(part, cst.Name | cst.Attribute) and depth < 4:
                values = [binding.value for binding in self.script.names.bindings(part) if binding.kind == "assign"]
                if any(value is not None and self._depends_on_rank(value, depth + 1) for value in values):
                    return True
        return False

    # --- say it -------------------------------------------------------------------------------------------------

    def _sync(self, wrap: cst.Call, kind: str) -> None:
        model = self._target(wrap)
        if model is not None and self._is_said(model):
            return
        if not self.can(Idiom.MODEL_SYNC):
            self._seed(wrap)
            return
        if model is None:
            self.note("TC543", wrap, f"{kind} wraps a model that has no name here")
            return
        loop = self._loop(wrap, model)
        if loop is not None:
            edit = self.edit("TC541", wrap, f"the first weights come from one process, as {kind} had it")
            edit.before(loop, edit.say_statements(Idiom.MODEL_SYNC, model=model))
            return
        anchor, test = self._anchor(wrap, model) if kind == "DataParallel" else (wrap, None)
        statement = self.script.tree.small_statement(anchor) or anchor
        if (model, statement) in self._synced:
            return
        self._synced.add((model, statement))
        edit = self.edit("TC541", wrap, f"the first weights come from one process, as {kind} had it")
        beside = edit.before if isinstance(statement, cst.Return) else edit.after
        beside(anchor, _under(test, edit.say_statements(Idiom.MODEL_SYNC, model=model)))
        if kind == "DataParallel":
            self._sync_others(wrap, model)

    def _loop(self, wrap: cst.Call, model: str) -> cst.For | cst.While | None:
        """The outermost loop in which a model that is there before is wrapped, the first time around."""
        inner = argument(wrap, 0, "module")
        if inner is None or dotted(inner.value) != model:
            return None
        found = self.script.tree.loop(wrap)
        while found is not None and (outer := self.script.tree.loop(found)) is not None:
            found = outer
        contains = self.script.tree.contains
        bound = self.script.names.bindings(inner.value) if isinstance(inner.value, cst.Name) else []
        made = [one.node for one in bound if found and contains(found, one.node) and not contains(one.node, wrap)]
        return None if made else found

    def _sync_others(self, wrap: cst.Call, model: str) -> None:
        """The one process of DataParallel had one copy of every model: those trained beside the wrapped one too."""
        tree = self.script.tree
        for call in tree.all(cst.Call):
            func = call.func
            if not isinstance(func, cst.Attribute) or func.attr.value not in ("cuda", "to"):
                continue
            name = dotted(func.value)
            if tree.function(call) is not tree.function(wrap) or name is None or self._is_part(name, model):
                continue
            holder = tree.parent.get(call)
            if isinstance(holder, cst.Assign) and any(dotted(one.target) == model for one in holder.targets):
                continue  # `self.model = model.to(device)`: the wrapped one, by another name
            statement, test = self._anchor(call, name)
            if self._is_trained(func.value) and (name, statement) not in self._synced and not self._is_said(name):
                self._synced.add((name, statement))
                edit = self.edit("TC541", call, "the first weights come from one process, which there was")
                edit.after(statement, _under(test, edit.say_statements(Idiom.MODEL_SYNC, model=name)))

    def _is_part(self, name: str, model: str) -> bool:
        wrapped = [argument(call, 0, "module") for call in self.script.calls(*WRAPPERS)]
        known = {model, *(dotted(inner.value) or "" for inner in wrapped if inner is not None)}
        return any(name == each or name.startswith(f"{each}.") or each.startswith(f"{name}.") for each in known)

    def _is_trained(self, node: cst.BaseExpression) -> bool:
        """Whether a model, or its parameters, goes to what makes an optimizer."""
        origins = {value.origin for value in self.script.roles.values(node) if value.role is Role.MODEL}
        made = [call for call in self.script.tree.all(cst.Call) if self.script.is_a(call, Role.OPTIMIZER)]
        parts = (part for call in made for part in walk(call) if isinstance(part, cst.Name | cst.Attribute))
        return bool(origins) and any(
            value.origin in origins for part in parts for value in self.script.roles.values(part)
        )

    def _is_said(self, model: str) -> bool:
        """Whether the script broadcasts the model already."""
        said = self.script.calls(*(f"torch_xla.core.xla_model.{name}" for name in _BROADCASTS))
        return any(model in (code_of(part) for arg in call.args for part in walk(arg.value)) for call in said)

    def _is_kept(self, wrap: cst.Call, statement: cst.Assign) -> bool:
        """Whether an assignment keeps the wrapped model itself: alone, by a condition, or moved to its device."""
        tree = self.script.tree
        node: cst.CSTNode = wrap
        while node is not statement:
            holder = tree.parent[node]
            moved = isinstance(holder, cst.Attribute) and isinstance(tree.parent.get(holder), cst.Call)
            called = isinstance(holder, cst.Call) and holder.func is node
            chosen = isinstance(holder, cst.IfExp) and holder.test is not node
            if not (moved or called or chosen or holder is statement):
                return False
            node = holder
        return True

    def _target(self, wrap: cst.Call) -> str | None:
        """The name the wrapped model gets; for a part of a model, that of the whole."""
        statement = self.script.tree.small_statement(wrap)
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1 and self._is_kept(wrap, statement):
            target = statement.targets[0].target
            if isinstance(target, cst.Attribute) and self.script.is_a(target.value, Role.MODEL):
                return dotted(target.value)
            return dotted(target)
        inner = argument(wrap, 0, "module")
        return dotted(inner.value) if inner is not None else None

    def _anchor(self, wrap: cst.Call, model: str) -> tuple[cst.CSTNode, cst.BaseExpression | None]:
        """Where a model that DataParallel wrapped is on its device: after its last move, or after the wrapping; and the
        condition under which there is one."""
        tree = self.script.tree
        function = tree.function(wrap)
        anchor: cst.CSTNode = wrap
        for call in tree.all(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in ("cuda", "to"):
                moved = f"{model}.".startswith(f"{dotted(call.func.value)}.") or tree.contains(call.func.value, wrap)
                if moved and tree.function(call) is function and tree.before(anchor, call):
                    anchor = call
        filled = [call for call in tree.all(cst.Call) if tree.before(anchor, call) and self._fills(call, wrap, model)]
        if filled:
            return self._in_function(filled[-1]), None
        return outside(self.script, model, anchor)

    def _fills(self, call: cst.Call, wrap: cst.Call, model: str) -> bool:
        """Whether a call of the wrapping's function gives the model, or a part of it, new first weights."""
        func, inner = call.func, argument(wrap, 0, "module")
        if self.script.tree.function(call) is not self.script.tree.function(wrap):
            return False
        if (self.script.qualified(func) or "").startswith("torch.nn.init."):
            return True
        names = {model, dotted(inner.value) if inner is not None else model}
        if not isinstance(func, cst.Attribute) or func.attr.value not in _FILLS:
            return False
        name = dotted(func.value) or ""
        return any(name == each or name.startswith(f"{each}.") for each in names)

    def _in_function(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement of the function's own block that holds a node."""
        for outer in self.script.tree.ancestors(node):
            if isinstance(outer, cst.FunctionDef | cst.Module | cst.With) or self.script.is_main_guard(outer):
                break
            if isinstance(outer, cst.BaseStatement):
                node = outer
        return node

    def _seed(self, wrap: cst.Call) -> None:
        inner = argument(wrap, 0, "module")
        value = self.script.value(inner.value, Role.MODEL) if inner is not None else None
        if value is None or not isinstance(value.origin, cst.Call):
            self.note("TC543", wrap, f"{code_of(wrap.func)} made the processes start from the same weights")
            return
        edit = self.edit("TC542", value.origin, "every process builds the model from the same seed")
        edit.before(value.origin, "torch.manual_seed(0)")


def _under(test: cst.BaseExpression | None, said: Sequence[cst.BaseStatement]) -> Sequence[cst.BaseStatement]:
    return said if test is None else [cst.If(test, cst.IndentedBlock(said))]
