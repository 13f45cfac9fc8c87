"""Reads the summary of one script: which values it hands to other files, and which it takes from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import libcst as cst

from codemods.kit.accelerator import is_config
from codemods.kit.command_line import parses, read_command_line
from codemods.kit.frameworks import Stands
from codemods.kit.job_facts import read_role, read_started
from codemods.kit.keywords import keywords_taken, taken
from codemods.kit.launch import INIT, XLA_LAUNCHES, joins_xla_group
from codemods.kit.names import Binding, argument, dotted
from codemods.kit.opened import is_on_host
from codemods.kit.options import text
from codemods.kit.readers import Readers
from codemods.kit.roles import DICT, LIBRARY_SCALERS, OTHER_DEVICE, PASSES_THROUGH, WRAPPERS, Role, Value
from codemods.kit.script import Script
from codemods.kit.steps import Step
from codemods.kit.summary import LITERAL, LOCAL, CallSite, Flow, Kind, Known, Place, Signature, Summary
from codemods.kit.ties import find_ties
from codemods.kit.tree import walk

_CARRIED = frozenset((Role.MODEL, Role.OPTIMIZER, Role.OPTIMIZERS, Role.SCALER, Role.SCHEDULER, Role.LOADER,
                      Role.ITERATOR, Role.SAMPLER, Role.DATASET, Role.CRITERION, Role.DEVICE,
                      Role.AUTOCAST))  # fmt: skip
"""What is worth telling other files. Tensors and batches are everywhere."""
_GUESSES = frozenset(("parameter", "by use", "unknown"))
"""`Value.of` of what is known by its use only: the file that constructed it knows better."""
_SAME = frozenset(("to", "cuda", "cpu", "half", "float", "double", "train", "eval", "apply", "requires_grad_"))
_SCALES = frozenset(("scale", "step", "update", "unscale_", "get_scale", "state_dict", "load_state_dict"))
_DRIVERS = tuple(name for name, wrapper in WRAPPERS.items() if wrapper == "DataParallel")
_COUNTS = ("world_size", "gpus", "nprocs", "num_replicas")
_DEEPEST = 8
_CONTAINERS = {"List": "a list", "ListComp": "a list", "Dict": "a dict", "DictComp": "a dict"}
_LIBRARIES = frozenset(
    """torch torchvision torchaudio numpy builtins os sys math time json random collections itertools functools pathlib
    argparse logging tqdm copy re shutil warnings matplotlib PIL cv2 scipy pandas apex wandb
    tensorboardX torch_xla typing abc datetime contextlib dataclasses pickle yaml sklearn horovod""".split()
)
"""Calls of these are most calls; a project seldom has a folder of such a name."""


class Flows:
    """Follows values through one script, as far as the script goes."""

    def __init__(self, script: Script) -> None:
        self.script, self.tree, self.names, self.roles = script, script.tree, script.names, script.roles
        self._memo: dict[tuple[cst.CSTNode, tuple[int, ...]], tuple[Known | Place, ...]] = {}

    def summary(self) -> Summary:
        """The summary of the script."""
        imports = {
            name: bindings[0].imported
            for name, bindings in self.names.module.names.items()
            if bindings[0].kind == "import"
        }
        flows = (*self._returns(), *self._variables(), *self._attributes())
        return Summary(
            functions={self.tree.qualname(node): self._signature(node) for node in self.tree.all(cst.FunctionDef)},
            classes={self.tree.qualname(node): self._bases(node) for node in self.tree.all(cst.ClassDef)},
            imports=imports,
            stars=tuple(self.names.module.stars),
            modules=frozenset(self._modules()),
            acts=any(map(self._acts, self.tree.module.body)),
            outside=frozenset(self._outside(imports.values())),
            flows=tuple(dict.fromkeys(flows)),
            launch=self.script.launch.kind,
            is_entry=any(map(self.script.is_main_guard, self.tree.all(cst.If))) or self._runs_at_top(),
            calls=tuple(site for call in self.tree.all(cst.Call) if (site := self._site(call)) is not None),
            stepping=self._stepping(),
            moving=frozenset(self._moving()),
            placing=frozenset(self._placing()),
            reading=frozenset(map(self.tree.qualname, Readers(self.script).functions)),
            saving=frozenset(self._saving()),
            joining=frozenset(self._joining()),
            spawning=frozenset(self._names_around([*self.script.launch.spawns, *self.script.calls(*XLA_LAUNCHES)])),
            parsing=frozenset(self._names_around(filter(parses, self.tree.all(cst.Call)))),
            driving=frozenset(self._names_around(self.script.calls(*_DRIVERS))),
            wraps=bool(self.script.calls(*WRAPPERS)),
            opens=any(one.attr.value == "module" for one in self.tree.all(cst.Attribute)),
            trains=bool(self.script.loops.train_loops()),
            accelerated=not self.script.on_cpu,
            device_texts=frozenset(name for name, _ in self.script.device_positions.unseen()),
            device_parameters=frozenset(self._device_parameters()),
            device_reads=frozenset(self._device_reads()),
            device_asks=frozenset(self._device_asks()),
            counts_read=frozenset(self._counts_read()),
            logs_set_up=frozenset({"log"} if any(one.args for one in self.script.calls("logging.basicConfig")) else ()),
            prefetching=self._prefetchers,
            scales=frozenset(name for name, own in self._scalers() if own),
            lent=frozenset(self._lent()),
            trained=tuple(self._trained()),
            ties=self._ties(),
            moved=frozenset(move.value.of for move in self.script.model_moves.moves if move.value is not None),
            scaled=tuple(self._scaled()),
            stays=self._stays(),
            command_line=read_command_line(self.tree, self.names),
            started=tuple(read_started(self.script)),
            job_role=read_role(self.script),
        )

    def _stays(self) -> str:
        """The library for which the file is refused: one that runs the training runs it on XLA too."""
        uses = (use for use in self.script.frameworks if use.certain and use.library.stands is not Stands.DRIVES)
        return next((use.library.name for use in uses), "")

    def _ties(self) -> dict[str, tuple[tuple[str, str], ...]]:
        found: dict[str, tuple[tuple[str, str], ...]] = {}
        for tie in find_ties(self.script):
            if not tie.tests:
                name = self.tree.qualname(tie.class_)
                found[name] = (*found.get(name, ()), tie.names)
        return found

    # --- what is defined ------------------------------------------------------------------------------------------

    def _signature(self, function: cst.FunctionDef) -> Signature:
        params = function.params
        positional = [param.name.value for param in (*params.posonly_params, *params.params)]
        if self._is_method(function):
            positional = positional[1:]
        keywords = [param.name.value for param in (*params.params, *params.kwonly_params)]
        return Signature(tuple(positional), frozenset((*keywords, *keywords_taken(self.tree, self.names, function))))

    def _is_method(self, function: cst.FunctionDef) -> bool:
        above = self.tree.parent.get(self.tree.parent.get(function, function))
        return isinstance(above, cst.ClassDef) and not any(
            isinstance(each.decorator, cst.Name) and each.decorator.value == "staticmethod"
            for each in function.decorators
        )

    def _bases(self, class_: cst.ClassDef) -> tuple[str, ...]:
        return tuple(name for base in class_.bases if (name := self._name_of(base.value)))

    def _name_of(self, node: cst.BaseExpression) -> str | None:
        """The dotted name of a function or class: of this file (with LOCAL before it) or as imported."""
        class_ = self.names.local_class(node)
        if class_ is not None:
            return LOCAL + self.tree.qualname(class_)
        function = self.names.local_function(node)
        if function is not None:
            return LOCAL + self.tree.qualname(function)
        name = self.names.qualified(node)
        if name is None and isinstance(node, cst.Name) and self.names.module.stars and not self.names.bindings(node):
            return LOCAL + node.value  # a star import brings it
        return name if name and not name.startswith("builtins.") else None

    def _modules(self) -> Iterator[str]:
        for bindings in (scope.names.values() for scope in self.names.all_scopes()):
            for group in bindings:
                yield from (binding.imported for binding in group if binding.kind == "import")
        for statement in self.tree.all(cst.Import):
            yield from (_dotted(alias.name) for alias in statement.names)
        yield from self.names.module.stars

    def _acts(self, item: cst.CSTNode) -> bool:
        """Whether a statement at the top level calls something, or sets what is not the file's own, and stays."""
        for small in item.body if isinstance(item, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
                name = self.names.qualified(small.value.func) or ""
                return not name.startswith(("torch.cuda.", "torch.distributed."))
            if isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Attribute | cst.Subscript):
                return not (dotted(small.targets[0].target) or "").startswith("torch.backends.")
        return False

    def _outside(self, imported: Iterable[str]) -> Iterator[str]:
        for name in imported:
            if not is_library(name):
                yield from (read for read, _ in self.names.uses(name) if read != name)

    def _runs_at_top(self) -> bool:
        """Whether a statement at the top level calls something for its effect: a script without a guard."""
        return any(step.function is None for step in self.script.loops.steps)

    def _placing(self) -> Iterator[tuple[str, str]]:
        """Parameters that a function moves and that are no batch: `self.model = model.to(device)`."""
        for call in self.script.loaders.moves:
            function = self.tree.function(call)
            moved = call.func.value if isinstance(call.func, cst.Attribute) else None
            if function is None or moved is None or self.tree.loop(call) is not None:
                continue
            keyword = taken(self.tree, self.names, moved)
            if keyword is not None and keyword[0] is function:
                yield self.tree.qualname(function), keyword[1]
            elif isinstance(moved, cst.Name) and any(p.name.value == moved.value for p in function.params.params):
                yield self.tree.qualname(function), moved.value

    def _device_parameters(self) -> Iterator[tuple[str, str]]:
        for node in self.script.device_positions.positions:
            if not isinstance(node, cst.Name) or not any(b.kind == "parameter" for b in self.names.bindings(node)):
                continue
            function = self.tree.function(node)
            if function is not None:
                yield self.tree.qualname(function), node.value

    def _prefetching(self) -> Iterator[str]:
        for call in self.script.loaders.moves:
            function, class_ = self.tree.function(call), self.tree.class_of(call)
            if class_ is not None and function is not None and function.name.value != "__init__":
                if self.names.method(class_, "__iter__") or self.names.method(class_, "__next__"):
                    yield self.tree.qualname(class_)

    def _device_reads(self) -> Iterator[str]:
        for node in self.script.device_positions.positions:
            if isinstance(node, cst.Attribute) and is_config(node) and not self.script.accelerator.means(node):
                yield node.attr.value

    def _device_asks(self) -> Iterator[str]:
        for whole in self.script.device_positions.definitions:
            for node in walk(whole):
                if isinstance(node, cst.Attribute) and is_config(node):
                    yield node.attr.value

    def _counts_read(self) -> Iterator[str]:
        for node in self.tree.all(cst.Attribute):
            counts = any(word in node.attr.value for word in _COUNTS)
            if counts and self.names.is_reference(node) and self.names.qualified(node) is None:
                yield node.attr.value

    def _lent(self) -> Iterator[str]:
        """`step(self.scaler)`, and `trainer.scaler.scale(loss)`: somebody needs the object that the attribute holds."""
        for call in self.tree.all(cst.Call):
            for arg in call.args:
                if isinstance(arg.value, cst.Attribute) and _of_self(arg.value):
                    yield arg.value.attr.value
        yield from (name for name, own in self._scalers() if not own)

    def _stepping(self) -> dict[str, tuple[str, ...]]:
        return {
            self.tree.qualname(function): tuple(dict.fromkeys(self._stepped(function, step) for step in steps))
            for function, steps in self.script.loops.stepping.items()
        }

    def _stepped(self, function: cst.FunctionDef, step: Step) -> str:
        optimizer = step.optimizer
        if step.function is function and isinstance(optimizer, cst.Attribute) and _of_self(optimizer):
            return f"self.{optimizer.attr.value}"
        passed = any(binding.kind == "parameter" for binding in self.names.bindings(optimizer))
        return step.over if step.function is function and passed else ""

    def _scalers(self) -> Iterator[tuple[str, bool]]:
        """The attributes with a method that a gradient scaler has called, and whether they are of `self`."""
        for call in self.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in _SCALES and isinstance(func.value, cst.Attribute):
                yield func.value.attr.value, _of_self(func.value)

    def _trained(self) -> Iterator[Known | Place]:
        for loop in self.script.loops.train_loops():
            for loader in self.script.loaders.feeds(loop):
                yield from self.sources(loader)

    def _scaled(self) -> Iterator[Known | Place]:
        for optimizer in self.script.loops.scaled_optimizers:
            yield from self.sources(optimizer)

    def _moving(self) -> Iterator[str]:
        """Functions that move what they are given."""
        for call in self.script.loaders.moves:
            function = self.tree.function(call)
            if function is not None and self.tree.loop(call) is None:
                yield self.tree.qualname(function)

    def _joining(self) -> Iterator[str]:
        """Functions that make their process join a group, other than that of torch_xla; an empty name for the import of
        the file itself."""
        if joins_xla_group(self.script.names):
            return
        for call in self.script.calls(*INIT):
            function = self.tree.function(call)
            if function is not None:
                yield self.tree.qualname(function)
            elif not any(map(self.script.is_main_guard, self.tree.ancestors(call))):
                yield ""

    def _names_around(self, calls: Iterable[cst.Call]) -> Iterator[str]:
        """The functions that make these calls."""
        for call in calls:
            function = self.tree.function(call)
            if function is not None:
                yield self.tree.qualname(function)

    def _saving(self) -> Iterator[str]:
        """Functions that save a checkpoint: not a whole model or what is on the host already, whose saves stay."""
        for call in self.script.calls("torch.save"):
            saved, function = argument(call, 0, "obj"), self.tree.function(call)
            if function is None or saved is None or is_on_host(saved.value):
                continue
            if not self.roles.is_a(saved.value, Role.MODEL):
                yield self.tree.qualname(function)

    # --- what goes where ------------------------------------------------------------------------------------------

    def _site(self, call: cst.Call) -> CallSite | None:
        """A call, unless it is of a library or of something nobody can know."""
        if self._is_partial(call):
            callee, receivers, method = self._called(call.args[0].value)
            passed = list(call.args[1:])
        else:
            callee, receivers, method = self._called(call.func)
            passed = list(call.args)
        if not callee and not receivers:
            return None
        function = self.tree.function(call)
        return CallSite(
            number=self.tree.order[call],
            line=self.tree.statement_line(call),
            callee=callee,
            receivers=receivers,
            method=method,
            arguments=tuple(self._passed(passed)),
            function=self.tree.qualname(function) if function is not None else "",
            looped=self._is_looped(call),
            clips=self.script.loops.first_use(call) is not None,
            fills=sum(arg.keyword is None for arg in passed) if self._is_partial(call) else None,
        )

    def _is_partial(self, call: cst.Call) -> bool:
        return bool(call.args) and self.names.qualified(call.func) == "functools.partial"

    def _called(self, func: cst.BaseExpression) -> tuple[str, tuple[Known | Place, ...], str]:
        """The name a call means, or what holds the value or object called, and its method."""
        inherited = self._of_base(func)
        if inherited:
            return inherited, (), ""
        if isinstance(func, cst.Subscript):
            return "", tuple(self._in_table(func.value)), ""
        if not isinstance(func, cst.Name | cst.Attribute):
            return "", (), ""
        name = self._name_of(func)
        if name is not None:
            return name if name.startswith(LOCAL) or not is_library(name) else "", (), ""
        if isinstance(func, cst.Attribute):
            held = self.sources(func)
            places = tuple(each for each in held if isinstance(each, Place) and each.kind is not Kind.ATTRIBUTE)
            if not places and isinstance(func.value, cst.Name) and func.value.value == "self":
                places = tuple(each for each in held if isinstance(each, Place))  # `self.step(batch)`
            if places:
                return self._inherited(func), places, ""
            owners = self.sources(func.value)
            if not owners and func.attr.value == "step":
                owners = self.sources(self._iterated(func.value))
            return "", tuple(each for each in owners if isinstance(each, Place)), func.attr.value
        return "", tuple(each for each in self.sources(func) if isinstance(each, Place)), ""

    def _in_table(self, table: cst.BaseExpression) -> Iterator[Place]:
        """The functions of a table that one is called from: `{"a": train_a, "b": train_b}[name](model)`."""
        made = [binding.value for binding in self.names.bindings(table)] if isinstance(table, cst.Name) else [table]
        for value in made:
            for element in value.elements if isinstance(value, cst.Dict) else ():
                sources = self.sources(element.value) if isinstance(element.value, cst.Name | cst.Attribute) else ()
                yield from (source for source in sources if isinstance(source, Place))

    def _iterated(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The container whose elements a name stands for: `optimizers` of `for opt in optimizers.values()`."""
        bindings = self.names.bindings(node) if isinstance(node, cst.Name) else []
        value = bindings[0].value if bindings and all(binding.kind == "for" for binding in bindings) else None
        if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and not value.args:
            return value.func.value if value.func.attr.value in ("values", "items") else None
        return value if isinstance(value, cst.Name | cst.Attribute) else None

    def _is_looped(self, call: cst.Call) -> bool:
        """Whether a loop of its function repeats a call: not the one over the optimizers that it steps."""
        loop = self.tree.loop(call)
        owner = call.func.value if isinstance(call.func, cst.Attribute) and call.func.attr.value == "step" else None
        if loop is not None and owner is not None and self._iterated(owner) is not None:
            if any(binding.node is loop for binding in self.names.bindings(owner)):
                loop = self.tree.loop(loop)
        return loop is not None

    def _of_base(self, func: cst.BaseExpression) -> str:
        """The name of `super().__init__`: of the first base that a file of the project may define."""
        if not isinstance(func, cst.Attribute) or not isinstance(func.value, cst.Call):
            return ""
        class_ = self.tree.class_of(func) if self.names.qualified(func.value.func) == "builtins.super" else None
        bases = self._bases(class_) if class_ is not None else ()
        return next((f"{base}.{func.attr.value}" for base in bases if not is_library(base)), "")

    def _inherited(self, func: cst.Attribute) -> str:
        """The name of a method of its own object that a base in another file has: `self.save_network`."""
        own = isinstance(func.value, cst.Name) and func.value.value == "self"
        class_ = self.tree.class_of(func) if own else None
        if class_ is None or self.names.attribute_bindings(class_, func.attr.value):
            return ""
        above = any(not base.startswith(LOCAL) and not is_library(base) for base in self._bases(class_))
        return f"{LOCAL}{self.tree.qualname(class_)}.{func.attr.value}" if above else ""

    def _passed(self, args: list[cst.Arg]) -> Iterator[tuple[str, tuple[Known | Place, ...]]]:
        position = 0
        for arg in args:
            if arg.star:
                return  # where the rest goes is not to be seen
            name = arg.keyword.value if arg.keyword is not None else f"#{position}"
            position += arg.keyword is None
            sources = self.sources(arg.value) or self._device(arg.value) or self._literal(arg.value)
            if sources:
                yield name, sources

    def _device(self, node: cst.BaseExpression) -> tuple[Known, ...]:
        """A name given the text "cuda", or one of several, where the file uses it as the device: it will be one."""
        bindings = self.names.bindings(node) if isinstance(node, cst.Name) else []
        texts = [b for b in bindings if b.kind == "assign" and self.script.device_positions.holds(b)]
        if not texts or len(texts) < len(bindings):
            return ()
        return (Known(Role.DEVICE, "torch.device", evidence=(f"a text at line {self.tree.line(texts[0].node)}",)),)

    def _literal(self, node: cst.BaseExpression) -> tuple[Known, ...]:
        """Plain data or the text of a device, for where other calls pass a loader or a device."""
        if isinstance(node, cst.SimpleString):
            device = text(node).partition(":")[0]
            return (Known(Role.OTHER, f'{LITERAL}"{device}"'),) if device in ("cpu", "cuda") else ()
        kinds = {value.of for value in self.roles.values(node) if value.role is Role.OTHER}
        found = {_CONTAINERS[kind] for kind in kinds if kind in _CONTAINERS}
        return (Known(Role.OTHER, LITERAL + found.pop()),) if len(found) == 1 == len(kinds) else ()

    def _returns(self) -> Iterator[Flow]:
        for statement in self.tree.all(cst.Return):
            function = self.tree.function(statement)
            if function is None or statement.value is None:
                continue
            name, line = self.tree.qualname(function), self.tree.statement_line(statement)
            step = f"returned by {name}() at line {line}"
            whole = Place(Kind.RETURNED, LOCAL + name)
            if isinstance(statement.value, cst.Tuple):
                yield from (Flow(source, whole, step) for source in self._of_container(statement.value))
            if isinstance(statement.value, cst.Tuple):
                for index in range(len(statement.value.elements)):
                    place = Place(Kind.RETURNED, LOCAL + name, path=(index,))
                    yield from (Flow(source, place, step) for source in self.sources(statement.value, (index,)))
            else:
                yield from (Flow(source, whole, step) for source in self.sources(statement.value))

    def _variables(self) -> Iterator[Flow]:
        for name, bindings in self.names.module.names.items():
            for binding in bindings:
                if binding.kind in ("assign", "with"):
                    step = f"`{name}` at line {self.tree.statement_line(binding.node)}"
                    for source in self._of_binding(binding, ()):
                        yield Flow(source, Place(Kind.VARIABLE, LOCAL + name), step)

    def _attributes(self) -> Iterator[Flow]:
        for (class_, name), bindings in self.names.attributes.items():
            for binding in bindings:
                step = f"`self.{name}` at line {self.tree.statement_line(binding.node)}"
                for source in self._of_binding(binding, ()):
                    yield Flow(source, Place(Kind.ATTRIBUTE, LOCAL + self.tree.qualname(class_), name), step)

    # --- where a value comes from -----------------------------------------------------------------------------------

    def sources(self, node: cst.BaseExpression | None, path: tuple[int, ...] = ()) -> tuple[Known | Place, ...]:
        """What an expression is known to be, or the places that its values collect at."""
        if node is None or len(path) > _DEEPEST:
            return ()
        key = (node, path)
        found = self._memo.get(key)
        if found is None:
            self._memo[key] = ()  # a name defined through itself adds nothing
            found = self._memo[key] = tuple(dict.fromkeys(self._read(node, path)))
        return found

    def _read(self, node: cst.BaseExpression, path: tuple[int, ...]) -> Iterator[Known | Place]:
        known = [value for value in self.roles.values(node, path) if _is_carried(value)]
        # An annotated parameter is what it says, and what callers pass.
        sure = [value for value in known if value.of not in _GUESSES and not isinstance(value.origin, cst.Param)]
        if sure:
            yield from map(self._known, sure)
            yield from self._prefetched(node)
            return
        keyword = taken(self.tree, self.names, node)
        if keyword is not None:
            yield Place(Kind.PARAMETER, LOCAL + self.tree.qualname(keyword[0]), keyword[1], path)
        elif isinstance(node, cst.Name | cst.Attribute):
            yield from self._of_name(node, path)
        elif isinstance(node, cst.Call):
            yield from self._of_call(node, path)
        elif isinstance(node, cst.IfExp):
            yield from self.sources(node.body, path)
            yield from self.sources(node.orelse, path)
        elif isinstance(node, cst.BooleanOperation):
            yield from self.sources(node.left, path)
            yield from self.sources(node.right, path)
        elif isinstance(node, cst.Tuple | cst.List) and path and path[0] < len(node.elements):
            yield from self.sources(node.elements[path[0]].value, path[1:])
        elif isinstance(node, cst.NamedExpr):
            yield from self.sources(node.value, path)
        elif not path:
            yield from self._of_container(node)

    def _of_container(self, node: cst.BaseExpression) -> Iterator[Known]:
        """A list or dict of optimizers, as what it is full of."""
        elements: list[cst.BaseExpression] = []
        if isinstance(node, cst.List | cst.Tuple | cst.Dict):
            elements = [element.value for element in node.elements]
        elif isinstance(node, cst.ListComp):
            elements = [node.elt]
        elif isinstance(node, cst.DictComp):
            elements = [node.value]
        held = [value for element in elements for value in self.roles.values(element) if value.role is Role.OPTIMIZER]
        if held:
            kind = DICT if isinstance(node, cst.Dict | cst.DictComp) else ""
            yield Known(Role.OPTIMIZERS, held[0].of + kind, evidence=held[0].evidence)

    def _prefetched(self, node: cst.BaseExpression) -> Iterator[Place]:
        """`loader = PrefetchLoader(loader)` beside the plain loader: which of them it is decides where batches move."""
        for binding in self.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else ():
            made = binding.value if binding.kind == "assign" and not binding.path else None
            class_ = self.names.local_class(made.func) if isinstance(made, cst.Call) else None
            if class_ is not None and self.tree.qualname(class_) in self._prefetchers:
                yield Place(Kind.RETURNED, LOCAL + self.tree.qualname(class_))

    @cached_property
    def _prefetchers(self) -> frozenset[str]:
        return frozenset(self._prefetching())

    def _known(self, value: Value) -> Known:
        if not isinstance(value.origin, cst.Call):
            return Known(value.role, value.of, value.wrapped, value.evidence)
        is_other = value.role is Role.DEVICE and not self.script.accelerator.means(value.origin)
        made = str(self.tree.order[value.origin])
        return Known(value.role, OTHER_DEVICE if is_other else value.of, value.wrapped, value.evidence, made)

    def _of_name(self, node: cst.Name | cst.Attribute, path: tuple[int, ...]) -> Iterator[Known | Place]:
        bindings = self.names.earlier_bindings(node) if isinstance(node, cst.Name) else self.names.bindings(node)
        for binding in bindings:
            yield from self._of_binding(binding, path)
        if bindings:
            return
        if isinstance(node, cst.Attribute):
            if isinstance(node.value, cst.Name) and node.value.value == "self":
                class_ = self.tree.class_of(node)
                if class_ is not None:
                    yield Place(Kind.ATTRIBUTE, LOCAL + self.tree.qualname(class_), node.attr.value)
                return
            name = self.names.qualified(node)
            if name:
                if not is_library(name):
                    yield Place(Kind.VARIABLE, name, path=path)
                return
            made = [source for source in self.sources(node.value) if isinstance(source, Place)]
            yield from (
                Place(Kind.ATTRIBUTE, each.owner, node.attr.value) for each in made if each.kind is Kind.RETURNED
            )

    def _of_binding(self, binding: Binding, path: tuple[int, ...]) -> Iterator[Known | Place]:
        if binding.kind in ("assign", "walrus", "with"):
            yield from self.sources(binding.value, (*binding.path, *path))
        elif binding.kind == "import":
            if not is_library(binding.imported):
                yield Place(Kind.VARIABLE, binding.imported, path=path)
        elif binding.kind in ("function", "class") and isinstance(binding.node, cst.FunctionDef | cst.ClassDef):
            yield Place(Kind.VARIABLE, LOCAL + self.tree.qualname(binding.node))
        elif binding.kind == "parameter" and isinstance(binding.node, cst.Param):
            function = self.tree.enclosing(binding.node, cst.FunctionDef, cst.Lambda)
            if isinstance(function, cst.FunctionDef):
                yield Place(Kind.PARAMETER, LOCAL + self.tree.qualname(function), binding.name, path)

    def _of_call(self, call: cst.Call, path: tuple[int, ...]) -> Iterator[Known | Place]:
        name = self.names.qualified(call.func) or ""
        if (name in PASSES_THROUGH or name in WRAPPERS) and call.args:
            if name in WRAPPERS and not path:
                made = f"{WRAPPERS[name]}(...) at line {self.tree.statement_line(call)}"
                yield Known(Role.MODEL, name, (WRAPPERS[name],), (made,), str(self.tree.order[call]))
            yield from self.sources(call.args[0].value, path)
        elif isinstance(call.func, cst.Attribute) and call.func.attr.value in _SAME:
            yield from self.sources(call.func.value, path)
        elif self._is_partial(call):
            yield from self.sources(call.args[0].value)
        else:
            callee, receivers, _ = self._called(call.func)
            if callee:
                yield Place(Kind.RETURNED, callee, path=path)
            elif receivers:
                yield Place(Kind.RESULT, LOCAL, str(self.tree.order[call]), path)


def _of_self(node: cst.Attribute) -> bool:
    return isinstance(node.value, cst.Name) and node.value.value == "self"


def is_library(name: str) -> bool:
    """Whether a qualified name is surely of a library, so that no file of the project defines it."""
    return name.partition(".")[0] in _LIBRARIES


def _dotted(node: cst.BaseExpression) -> str:
    return f"{_dotted(node.value)}.{node.attr.value}" if isinstance(node, cst.Attribute) else getattr(node, "value", "")


def summarise(script: Script) -> Summary:
    """What a script tells the other files of its project."""
    return Flows(script).summary()


def _is_carried(value: Value) -> bool:
    return value.role in _CARRIED or value.of in LIBRARY_SCALERS
