"""Let each process draw random numbers of its own where one process drew for all.

A `DataParallel` script drew the noise of a whole batch in one process. On XLA each process draws for its share. Where a
seed was set all of them draw the same, and the XLA generator starts in the same state in every process anyway: a batch
over eight devices sees an eighth of the noise. So the generators are seeded apart above the training, below everything
that all processes have to make alike, such as the weights:

    if xr.global_ordinal() > 0:
        torch.manual_seed(torch.initial_seed() + xr.global_ordinal())
        torch_xla.manual_seed(torch.initial_seed())

The first process draws what the one process drew. Only what the training loop draws itself counts: what a model draws
in its forward, dropout, was alike on every GPU too when all were seeded alike. Where a loop makes models, or other
files repeat the function that draws, it is said.

CUDA seeds each process of a `DistributedDataParallel` program at random unless the script does. There the XLA generator
begins with the seed of the process's host above the training, `torch_xla.manual_seed(torch.initial_seed())`, where the
script draws noise or drops activations and sets no seed, or only if it is asked to.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.loops import Loop
from codemods.kit.names import argument
from codemods.kit.phrases import TORCH, Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_DRAWS = frozenset(f"torch.{name}" for name in (
    "rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "normal", "bernoulli", "multinomial",
    "poisson"))  # fmt: skip
_METHODS = ("normal_", "uniform_", "random_", "bernoulli_", "exponential_", "log_normal_", "cauchy_", "geometric_")
_DEEPEST = 3
_BEFORE = """\
import torch

net = torch.nn.DataParallel(torch.nn.Linear(8, 8).cuda())
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in batches:
    noise = torch.randn(x.shape).cuda()
    loss = (net(x.cuda() + noise) - noise).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
_SMTC = """\
if xm.get_ordinal() > 0:
    torch.manual_seed(torch.initial_seed() + xm.get_ordinal())
    xm.set_rng_state(torch.initial_seed())
for x in"""
_XLA = """\
if xr.global_ordinal() > 0:
    torch.manual_seed(torch.initial_seed() + xr.global_ordinal())
    torch_xla.manual_seed(torch.initial_seed())
for x in"""


def _after(imported: str, seeded: str) -> str:
    return _BEFORE.replace("for x in", seeded).replace("torch\n\n", f"torch\n{imported}\n", 1)


class SeedsApart(Codemod):
    """Let each process draw random numbers of its own where one process drew for all."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC546", "each process draws random numbers of its own", Safety.EXACT,
             document="torch_xla 2.9 and 2.1: torch.randn on the device gives the same in each process"),
        Rule("TC547", "every process draws the same random numbers", Safety.NOTE, Severity.WARNING,
             advice="seed by the ordinal where the weights are made and no epoch has begun: "
             "`torch.manual_seed(seed + xr.global_ordinal())`, and the XLA generator"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            _BEFORE,
            _after("import torch_xla.core.xla_model as xm\n", _SMTC),
            _after("import torch_xla\nimport torch_xla.runtime as xr\n", _XLA),
        ),
    )

    def rewrite(self) -> None:
        script = self.script
        if script.cells or "torch_xla" in script.names.modules or script.on_cpu:
            return
        if not script.data_parallel:
            if script.distributed:
                self._follow_the_host()
            return
        anchors: dict[Loop, cst.CSTNode] = {}
        for call in script.tree.all(cst.Call):
            if not self._draws(call):
                continue
            found = list(self._outermost(call, 0))
            if any(loop is None or self._makes_models(loop) for loop in found):
                self.note("TC547", call, "one process drew this for all; every process draws the same now")
            anchors.update((loop, call) for loop in found if loop is not None and not self._makes_models(loop))
        anchors.update((loop, loop) for loop in self._drawing_elsewhere() if loop not in anchors)
        for loop, drawn in anchors.items():
            if not any(other is not loop and script.tree.contains(other, loop) for other in anchors):
                self._seed(loop, drawn)

    def _follow_the_host(self) -> None:
        """In a program of several processes that need not be seeded, let the XLA generator of each begin with the seed
        of its host: another one in each process, as on CUDA, unless the script sets one."""
        drawn: list[cst.CSTNode] = [one for one in self.script.tree.all(cst.Call) if self._draws_in_training(one)]
        meaning = self.script.links.meaning
        elsewhere: list[Loop | None] = [] if meaning is None or meaning.seeded else [*self._drawing_elsewhere()]
        seeds = self.script.calls("torch.manual_seed")
        if not (drawn or elsewhere) or any(not self._is_optional(call) for call in seeds):
            return
        found = [one for trained in self.script.loops.train_loops() for one in self._outermost(trained.loop, 0)]
        found = [one for one in found if drawn] + elsewhere
        drawn += filter(None, elsewhere)
        above = dict.fromkeys(one for one in found if one is not None and not self._makes_models(one))
        if len(above) < len(set(found)):
            self.note("TC547", drawn[0], "every process draws the same, unless something else seeds the XLA generator")
        for loop in above:
            if any(other is not loop and self.script.tree.contains(other, loop) for other in above):
                continue
            edit = self.edit("TC546", drawn[0], "every process would draw the same, where nothing seeds them")
            if edit.allowed:
                edit.need(TORCH)
                seed = edit.say(Idiom.SEED, seed=cst.parse_expression("torch.initial_seed()"))
                edit.before(loop, build.statements("{seed}\n", seed=seed))

    def _drawing_elsewhere(self) -> Iterator[Loop]:
        """Loops that train, of which functions of other files draw random numbers."""
        meaning = self.script.links.meaning
        for number in meaning.noise if meaning is not None else ():
            loop = self.script.tree.statement_numbered(number)
            if isinstance(loop, cst.For | cst.While) and not self._makes_models(loop):
                yield loop

    def _is_optional(self, seed: cst.Call) -> bool:
        """Whether a seed is set under a condition: `if args.seed is not None:`."""
        tree = self.script.tree
        return any(isinstance(one, cst.If) and not self.script.is_main_guard(one) for one in tree.ancestors(seed))

    def _draws_in_training(self, call: cst.Call) -> bool:
        """Noise, steps of time or dropout, on the device: of a loop that trains, or of a model of this file."""
        class_, name = self.script.tree.class_of(call), self.script.qualified(call.func) or ""
        method = isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS
        on_device = method or name.endswith("_like") or argument(call, None, "device") is not None
        if on_device and self._draws(call):
            return True
        drops = name.startswith("torch.nn.") and ".dropout" in name.lower()
        of_model = class_ is not None and self.script.roles.class_role(class_) is Role.MODEL
        function = self.script.tree.function(call)
        begins = function is not None and function.name.value in ("__init__", "reset_parameters", "init_weights")
        return drops or (of_model and on_device and name in _DRAWS and not begins)

    def _draws(self, call: cst.Call) -> bool:
        """Whether a call draws from PyTorch's generators for a training loop, and not for a model's forward."""
        func, tree = call.func, self.script.tree
        name = self.script.qualified(func)
        method = isinstance(func, cst.Attribute) and name is None and func.attr.value in _METHODS
        if not (name in _DRAWS or method) or any(arg.keyword is not None and arg.keyword.value == "generator"
                                                 for arg in call.args):  # fmt: skip
            return False
        class_ = tree.class_of(call)
        of_model = class_ is not None and self.script.roles.class_role(class_) in (Role.MODEL, Role.DATASET)
        return not of_model and any(self._is_trained(place) for place in self._places(call, 0))

    def _places(self, call: cst.Call, depth: int) -> Iterator[cst.Call]:
        """A call, and the calls of the functions of the script that lead to it."""
        yield call
        function = self.script.tree.function(call)
        for site in self.script.roles.call_sites(function) if function is not None and depth < _DEEPEST else ():
            yield from self._places(site, depth + 1)

    def _is_trained(self, call: cst.Call) -> bool:
        tree = self.script.tree
        return any(tree.contains(loop.loop.body, call) for loop in self.script.loops.train_loops())

    def _outermost(self, call: cst.CSTNode, depth: int) -> Iterator[Loop | None]:
        """The loops above which to seed: around the call, or around the calls of its function. None: not known."""
        tree = self.script.tree
        loop = call if isinstance(call, cst.For | cst.While) else tree.loop(call)
        while loop is not None and (outer := tree.loop(loop)) is not None:
            loop = outer
        function = tree.function(call)
        sites = self.script.roles.call_sites(function) if function is not None else []
        if function is not None and tree.qualname(function) in self.script.links.repeated:
            yield None
            return
        above = [one for site in sites for one in self._outermost(site, depth + 1)] if depth < _DEEPEST else [None]
        if above:
            yield from above
        elif loop is not None:
            yield loop

    def _makes_models(self, loop: Loop) -> bool:
        return any(
            value.role is Role.MODEL and value.origin is call
            for call in walk(loop.body)
            if isinstance(call, cst.Call)
            for value in self.script.roles.values(call)
        )

    def _seed(self, loop: Loop, drawn: cst.CSTNode) -> None:
        edit = self.edit("TC546", drawn, "one process drew this for all; each draws its own now")
        if not edit.allowed:
            return
        edit.need(TORCH)
        rank = edit.say(Idiom.ORDINAL)
        seed = edit.say(Idiom.SEED, seed=cst.parse_expression("torch.initial_seed()"))
        apart = "torch.manual_seed(torch.initial_seed() + {rank})"
        edit.before(loop, build.statements(f"if {{rank}} > 0:\n    {apart}\n    {{seed}}\n", rank=rank, seed=seed))
