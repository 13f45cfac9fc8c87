"""Reads the summary of one script: which values it hands to other files, and which it takes from them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.accelerator import is_config
from codemods.kit.names import Binding, argument
from codemods.kit.roles import OTHER_DEVICE, PASSES_THROUGH, WRAPPERS, Role, Value
from codemods.kit.script import Script
from codemods.kit.summary import LOCAL, CallSite, Flow, Kind, Known, Place, Signature, Summary
from codemods.kit.ties import find_ties
from codemods.kit.tree import walk

_CARRIED = frozenset((Role.MODEL, Role.OPTIMIZER, Role.SCALER, Role.SCHEDULER, Role.LOADER, Role.ITERATOR, Role.SAMPLER,
                      Role.DATASET, Role.CRITERION, Role.DEVICE, Role.AUTOCAST))  # fmt: skip
"""What is worth telling other files. Tensors and batches are everywhere."""
_GUESSES = frozenset(("parameter", "by use", "unknown"))
"""`Value.of` of what is known by its use only: the file that constructed it knows better."""
_SAME = frozenset(("to", "cuda", "cpu", "half", "float", "double", "train", "eval", "apply", "requires_grad_"))
_SCALES = frozenset(("scale", "step", "update", "unscale_", "get_scale", "state_dict", "load_state_dict"))
_DEEPEST = 8
_LIBRARIES = frozenset(
    """torch torchvision torchaudio numpy builtins os sys math time json random collections itertools functools pathlib
    argparse logging tqdm copy re shutil warnings matplotlib PIL cv2 scipy pandas apex transformers timm wandb
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
            flows=tuple(dict.fromkeys(flows)),
            launch=self.script.launch.kind,
            is_entry=any(map(self.script.is_main_guard, self.tree.all(cst.If))) or self._runs_at_top(),
            calls=tuple(site for call in self.tree.all(cst.Call) if (site := self._site(call)) is not None),
            stepping=frozenset(map(self.tree.qualname, self.script.loops.stepping)),
            moving=frozenset(self._moving()),
            placing=frozenset(self._placing()),
            saving=frozenset(self._saving()),
            accelerated=not self.script.on_cpu,
            device_texts=frozenset(name for name, _ in self.script.device_positions.unseen()),
            device_reads=frozenset(self._device_reads()),
            device_asks=frozenset(self._device_asks()),
            scales=frozenset(name for name, own in self._scalers() if own),
            lent=frozenset(self._lent()),
            trained=tuple(self._trained()),
            ties=self._ties(),
            moved=frozenset(move.value.of for move in self.script.model_moves.moves if move.value is not None),
            scaled=tuple(self._scaled()),
        )

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
        return Signature(tuple(positional), frozenset(keywords))

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
        return name if name and not name.startswith("builtins.") else None

    def _modules(self) -> Iterator[str]:
        for bindings in (scope.names.values() for scope in self.names.all_scopes()):
            for group in bindings:
                yield from (binding.imported for binding in group if binding.kind == "import")
        for statement in self.tree.all(cst.Import):
            yield from (_dotted(alias.name) for alias in statement.names)
        yield from self.names.module.stars

    def _runs_at_top(self) -> bool:
        """Whether a statement at the top level calls something for its effect: a script without a guard."""
        return any(step.function is None for step in self.script.loops.steps)

    def _placing(self) -> Iterator[tuple[str, str]]:
        """Parameters that a function moves and that are no batch: `self.model = model.to(device)`."""
        for call in self.script.loaders.moves:
            function = self.tree.function(call)
            moved = call.func.value if isinstance(call.func, cst.Attribute) else None
            if function is None or not isinstance(moved, cst.Name) or self.tree.loop(call) is not None:
                continue
            if any(parameter.name.value == moved.value for parameter in function.params.params):
                yield self.tree.qualname(function), moved.value

    def _device_reads(self) -> Iterator[str]:
        for node in self.script.device_positions.positions:
            if isinstance(node, cst.Attribute) and is_config(node) and not self.script.accelerator.means(node):
                yield node.attr.value

    def _device_asks(self) -> Iterator[str]:
        for whole in self.script.device_positions.definitions:
            for node in walk(whole):
                if isinstance(node, cst.Attribute) and is_config(node):
                    yield node.attr.value

    def _lent(self) -> Iterator[str]:
        """`step(self.scaler)`, and `trainer.scaler.scale(loss)`: somebody needs the object that the attribute holds."""
        for call in self.tree.all(cst.Call):
            for arg in call.args:
                if isinstance(arg.value, cst.Attribute) and _of_self(arg.value):
                    yield arg.value.attr.value
        yield from (name for name, own in self._scalers() if not own)

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
        for step in self.script.loops.steps:
            if step.scaler is not None:
                yield from self.sources(step.optimizer)

    def _moving(self) -> Iterator[str]:
        """Functions that move what they are given."""
        for call in self.script.loaders.moves:
            function = self.tree.function(call)
            if function is not None and self.tree.loop(call) is None:
                yield self.tree.qualname(function)

    def _saving(self) -> Iterator[str]:
        """Functions that save a checkpoint, not a whole model, whose form stays."""
        for call in self.script.calls("torch.save"):
            saved, function = argument(call, 0, "obj"), self.tree.function(call)
            if function is not None and saved is not None and not self.roles.is_a(saved.value, Role.MODEL):
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
            looped=self.tree.loop(call) is not None,
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
                return "", places, ""
            return "", tuple(each for each in self.sources(func.value) if isinstance(each, Place)), func.attr.value
        return "", tuple(each for each in self.sources(func) if isinstance(each, Place)), ""

    def _of_base(self, func: cst.BaseExpression) -> str:
        """The name of `super().__init__`: of the first base that a file of the project may define."""
        if not isinstance(func, cst.Attribute) or not isinstance(func.value, cst.Call):
            return ""
        class_ = self.tree.class_of(func) if self.names.qualified(func.value.func) == "builtins.super" else None
        bases = self._bases(class_) if class_ is not None else ()
        return next((f"{base}.{func.attr.value}" for base in bases if not is_library(base)), "")

    def _passed(self, args: list[cst.Arg]) -> Iterator[tuple[str, tuple[Known | Place, ...]]]:
        position = 0
        for arg in args:
            if arg.star:
                return  # where the rest goes is not to be seen
            name = arg.keyword.value if arg.keyword is not None else f"#{position}"
            position += arg.keyword is None
            sources = self.sources(arg.value)
            if sources:
                yield name, sources

    def _returns(self) -> Iterator[Flow]:
        for statement in self.tree.all(cst.Return):
            function = self.tree.function(statement)
            if function is None or statement.value is None:
                continue
            name, line = self.tree.qualname(function), self.tree.statement_line(statement)
            step = f"returned by {name}() at line {line}"
            whole = Place(Kind.RETURNED, LOCAL + name)
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
        known = [value for value in self.roles.values(node, path) if value.role in _CARRIED]
        # An annotated parameter is what it says, and what callers pass.
        sure = [value for value in known if value.of not in _GUESSES and not isinstance(value.origin, cst.Param)]
        if sure:
            yield from map(self._known, sure)
            return
        if isinstance(node, cst.Name | cst.Attribute):
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

    def _known(self, value: Value) -> Known:
        if not isinstance(value.origin, cst.Call):
            return Known(value.role, value.of, value.wrapped, value.evidence)
        is_other = value.role is Role.DEVICE and not self.script.accelerator.means(value.origin)
        made = str(self.tree.order[value.origin])
        return Known(value.role, OTHER_DEVICE if is_other else value.of, value.wrapped, value.evidence, made)

    def _of_name(self, node: cst.Name | cst.Attribute, path: tuple[int, ...]) -> Iterator[Known | Place]:
        bindings = self.names.bindings(node)
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
