"""Seed the generator of the XLA device.

`torch.manual_seed` seeds the CPU and every CUDA device, but not the XLA device, whose generator starts in the same
state in every process: dropout and everything else that is drawn on the device would not depend on the seed. So a
seed of the XLA generator (`xm.set_rng_state`, `torch_xla.manual_seed` from torch_xla 2.5) follows it; a call of
`torch.cuda.manual_seed` or `manual_seed_all` in the same function becomes that seed instead.

The seed has to be a Python integer, so anything else is put through `int(...)`, and a seed that is computed by a call
is read back with `torch.initial_seed()`. Nothing is seeded in what data loader workers run (they must not touch the
device), nor in the process that only starts the others.

`torch.cuda.get_rng_state` and `set_rng_state` become torch_xla's. The state is an integer there and no tensor: it does
not fit a checkpoint that was written on CUDA.

Sources: torch_xla 1.13 core/xla_model.py `set_rng_state`; torch_xla 2.5 torch_xla.py `manual_seed`.
"""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from codemods.kit.build import expression, parenthesized
from codemods.kit.codemod import Codemod
from codemods.kit.guards import is_rank
from codemods.kit.launch import Launch
from codemods.kit.names import argument
from codemods.kit.phrases import TORCH, Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_TORCH = ("torch.manual_seed", "torch.random.manual_seed")
_CUDA = ("torch.cuda.manual_seed", "torch.cuda.manual_seed_all")
_STATES = {
    "torch.cuda.get_rng_state": Idiom.GET_RNG_STATE, "torch.cuda.get_rng_state_all": Idiom.GET_RNG_STATE,
    "torch.cuda.set_rng_state": Idiom.SET_RNG_STATE, "torch.cuda.set_rng_state_all": Idiom.SET_RNG_STATE,
}  # fmt: skip
_OTHERS = ("torch.cuda.seed", "torch.cuda.seed_all", "torch.cuda.initial_seed")
_SOURCE = "torch_xla 1.13 core/xla_model.py set_rng_state; torch_xla 2.5 torch_xla.py manual_seed"


class Seeds(Codemod):
    """Seed the generator of the XLA device."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC161", "a seed of the CUDA generators becomes one of the XLA generator", Safety.EXACT, document=_SOURCE),
        Rule("TC162", "the XLA generator is seeded as well", Safety.EXACT, document=_SOURCE),
        Rule("TC163", "the state of a CUDA generator becomes that of the XLA generator", Safety.REVIEW,
             advice="the state is an integer: a state saved on CUDA cannot be restored", document=_SOURCE),
        Rule("TC164", "a second seed of the CUDA generators goes", Safety.EXACT),
        Rule("TC165", "a seed that CUDA chooses itself", Safety.NOTE, Severity.ERROR,
             advice="choose a seed and set it: the XLA generator starts in the same state in every process",
             document=_SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\ntorch.manual_seed(args.seed)\ntorch.cuda.manual_seed_all(args.seed)\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\ntorch.manual_seed(args.seed)\n"
            "xm.set_rng_state(int(args.seed))\n",
            xla="import torch\nimport torch_xla\n\ntorch.manual_seed(args.seed)\n"
            "torch_xla.manual_seed(int(args.seed))\n",
        ),
        Example(
            before="import torch\n\ntorch.manual_seed(42)\nmodel = torch.nn.Linear(2, 2).cuda()\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\ntorch.manual_seed(42)\nxm.set_rng_state(42)\n"
            "model = torch.nn.Linear(2, 2).cuda()\n",
            xla="import torch\nimport torch_xla\n\ntorch.manual_seed(42)\ntorch_xla.manual_seed(42)\n"
            "model = torch.nn.Linear(2, 2).cuda()\n",
        ),
        Example(before="import torch\n\ntorch.manual_seed(42)\nprint(torch.rand(2))\n"),
    )

    def rewrite(self) -> None:
        seeded: set[cst.FunctionDef | None] = set()
        blocks: set[tuple[cst.CSTNode | None, str]] = set()
        for name in _CUDA:
            for _, node in self.script.names.uses(name):
                self._cuda(node, seeded, blocks)
        for call in self.script.calls(*_TORCH):
            self._torch(call, seeded)
        for name, idiom in _STATES.items():
            for call in self.script.calls(name):
                self._state(call, idiom)
        for call in self.script.calls(*_OTHERS):
            self.note("TC165", call, "a seed that CUDA chooses or knows: the XLA generator has its own")

    # --- seeds --------------------------------------------------------------------------------------------------------

    def _cuda(
        self,
        node: cst.BaseExpression,
        seeded: set[cst.FunctionDef | None],
        blocks: set[tuple[cst.CSTNode | None, str]],
    ) -> None:
        tree = self.script.tree
        call = tree.parent.get(node)
        function = tree.function(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            if isinstance(node, cst.Attribute):  # a name of the script's own follows its definition
                edit = self.edit("TC161", node, "seeds the XLA generator")
                said = edit.say(Idiom.SEED, seed="seed")
                made: cst.BaseExpression = cst.Lambda(cst.Parameters([cst.Param(cst.Name("seed"))]), said)
                edit.replace(node, made if isinstance(call, cst.Assign | cst.Arg) else parenthesized(made))
            return
        statement = tree.parent.get(call)
        block = tree.parent.get(tree.parent[statement]) if isinstance(statement, cst.Expr) else None
        seed = argument(call, 0, "seed")
        code = self.script.module.code_for_node(seed.value) if seed is not None else ""
        if self._is_elsewhere(call) or (block is not None and (block, code) in blocks):
            if isinstance(statement, cst.Expr):
                self.edit("TC164", call, "there is one generator to seed").remove(call)
                return
        if seed is None:
            return
        blocks.add((block, code))
        seeded.add(function)
        edit = self.edit("TC161", call, "seeds the XLA generator")
        edit.replace(call, edit.say(Idiom.SEED, seed=self._integer(seed.value)))

    def _torch(self, call: cst.Call, seeded: set[cst.FunctionDef | None]) -> None:
        tree = self.script.tree
        function = tree.function(call)
        statement = tree.small_statement(call)
        seed = argument(call, 0, "seed")
        if function in seeded or seed is None or not self._draws or self._is_elsewhere(call):
            return
        if not isinstance(statement, cst.Expr | cst.Assign) or tree.enclosing(call, cst.Lambda) is not None:
            return
        edit = self.edit("TC162", call, "torch.manual_seed does not reach the XLA generator")
        value: cst.BaseExpression = self._integer(seed.value)
        if any(isinstance(found, cst.Call | cst.NamedExpr) for found in walk(seed.value)):
            edit.need(TORCH)
            value = cst.parse_expression("torch.initial_seed()")
        said = edit.say(Idiom.SEED, seed=value)
        edit.after(statement, [cst.SimpleStatementLine([cst.Expr(said)])])

    def _state(self, call: cst.Call, idiom: Idiom) -> None:
        """The state of the generator, read or set; an index of a device goes."""
        given = argument(call, 0, "new_state") or argument(call, 0, "new_states")
        if idiom is Idiom.GET_RNG_STATE:
            edit = self.edit("TC163", call, "reads the state of the XLA generator")
            tensor = self._is_used_as_tensor(call)
            if tensor:
                edit.need(TORCH)
            state = edit.say(idiom)
            edit.replace(call, expression("torch.tensor({state})", state=state) if tensor else state)
        elif given is not None:
            edit = self.edit("TC163", call, "sets the state of the XLA generator")
            edit.replace(call, edit.say(idiom, state=given.value))

    def _is_used_as_tensor(self, state: cst.Call) -> bool:
        """Whether a state has methods called, or is handed on: `all_gather(state)`. One that is kept stays plain."""
        tree = self.script.tree
        holder = tree.parent.get(state)
        if isinstance(holder, cst.Attribute):
            return True
        target = holder.targets[0].target if isinstance(holder, cst.Assign) else None
        if not isinstance(target, cst.Name):
            return False
        for use in tree.all(cst.Name):
            if use.value == target.value and any(b.node is holder for b in self.script.names.bindings(use)):
                parent = tree.parent.get(use)
                call = tree.parent.get(parent) if isinstance(parent, cst.Arg) else None
                handed = isinstance(call, cst.Call) and self.script.qualified(call.func) not in (*_STATES, "torch.save")
                if handed or (isinstance(parent, cst.Attribute) and parent.value is use):
                    return True
        return False

    @cached_property
    def _draws(self) -> bool:
        """Whether the script uses the accelerator itself, and nobody has thought of the XLA generator yet."""
        names = self.script.names
        if self.script.is_driven or "torch_xla" in names.modules:
            return False
        meaning = self.script.links.meaning
        if meaning is not None and meaning.seeds:
            return True
        if self.script.loaders.moves or self.script.device_positions.definitions:
            return True
        return any(True for library in ("torch.cuda", "torch.accelerator") for _ in names.uses(library))

    def _is_elsewhere(self, call: cst.Call) -> bool:
        """Whether the device must not be touched here: in a loader's worker, or before the processes start."""
        tree, launch = self.script.tree, self.script.launch
        function = tree.function(call)
        if launch.kind is Launch.SPAWN:
            starts = {tree.function(spawn) for spawn in launch.starts}
            if function is None or function in starts:
                return True
        if self._forks(call):
            return True
        return function is not None and (function in self._workers or self._is_of_dataset(call))

    def _forks(self, call: cst.Call) -> bool:
        """Under `torch.random.fork_rng`, which does not put the XLA generator back."""
        tree = self.script.tree
        heads = [tree.enclosing(fork, cst.With) for fork in self.script.calls("torch.random.fork_rng")]
        return any(head is not None and tree.contains(head, call) for head in heads)

    @cached_property
    def _workers(self) -> set[cst.FunctionDef]:
        """Functions that the workers of a data loader run."""
        found: set[cst.FunctionDef] = set()
        for call in self.script.tree.all(cst.Call):
            for keyword in ("worker_init_fn", "collate_fn"):
                passed = argument(call, None, keyword) if call.args else None
                value = passed.value if passed is not None else None
                if isinstance(value, cst.Call) and value.args:
                    value = value.args[0].value  # `partial(seed_worker, seed=seed)`
                function = self.script.names.local_function(value) if value is not None else None
                if function is not None:
                    found.add(function)
        for function in self.script.tree.all(cst.FunctionDef):
            first = function.params.params[:1]
            if first and first[0].name.value == "worker_id":  # passed in another file
                found.add(function)
        return found

    def _is_of_dataset(self, call: cst.Call) -> bool:
        class_ = self.script.tree.class_of(call)
        return class_ is not None and self.script.roles.class_role(class_) in (Role.DATASET, Role.SAMPLER)

    # --- integers -----------------------------------------------------------------------------------------------------

    def _integer(self, seed: cst.BaseExpression) -> cst.BaseExpression:
        """The seed as a Python integer: as it is where that is certain."""
        return seed if self._is_integer(seed) else expression("int({seed})", seed=seed)

    def _is_integer(self, node: cst.BaseExpression | None, depth: int = 0) -> bool:
        if node is None or depth > 3:
            return False
        if isinstance(node, cst.Integer) or is_rank(self.script, node):
            return True
        if isinstance(node, cst.BinaryOperation):
            whole = isinstance(node.operator, cst.Add | cst.Subtract | cst.Multiply | cst.Modulo | cst.FloorDivide)
            return whole and self._is_integer(node.left, depth + 1) and self._is_integer(node.right, depth + 1)
        if isinstance(node, cst.Call):
            return self.script.qualified(node.func) in ("builtins.int", "random.randint", "builtins.len")
        if isinstance(node, cst.Attribute):
            option = self.script.options.declared.get(node.attr.value)
            if option is not None or not isinstance(node.value, cst.Name) or node.value.value != "self":
                return option is not None and option.type == "int"
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []
        return bool(bindings) and all(
            (b.kind == "assign" and not b.path and self._is_integer(b.value, depth + 1))
            or (b.kind == "parameter" and isinstance(b.node, cst.Param) and self._is_integer_parameter(b.node))
            for b in bindings
        )

    def _is_integer_parameter(self, parameter: cst.Param) -> bool:
        annotation = parameter.annotation
        if annotation is not None:
            return isinstance(annotation.annotation, cst.Name) and annotation.annotation.value == "int"
        return isinstance(parameter.default, cst.Integer)
