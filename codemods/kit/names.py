"""Scopes and names: what each name of a script is bound to, and which library object an expression means.

`qualified` answers "is this `torch.cuda.amp.autocast`?" through every import form and alias. It costs a dictionary
look-up where LibCST's QualifiedNameProvider costs eight parses (see docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from codemods.kit.tree import Tree

# Where torch really defines what is imported from elsewhere: longest prefix first.
_SAME_PLACE = (
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.nn.parallel.distributed.", "torch.nn.parallel."),
    ("torch.nn.parallel.data_parallel.DataParallel", "torch.nn.DataParallel"),
    ("torch.nn.parallel.DataParallel", "torch.nn.DataParallel"),
    ("torch.nn.utils.clip_grad.", "torch.nn.utils."),
    ("torch.nn.modules.batchnorm.SyncBatchNorm", "torch.nn.SyncBatchNorm"),
    ("torch.distributed.distributed_c10d.", "torch.distributed."),
    ("torch.cuda.amp.autocast_mode.", "torch.cuda.amp."),
    ("torch.cuda.amp.grad_scaler.", "torch.cuda.amp."),
    ("torch.amp.autocast_mode.", "torch.amp."),
    ("torch.GradScaler", "torch.amp.GradScaler"),
    ("torch.cuda.random.", "torch.cuda."),
    ("torch.cuda.memory.", "torch.cuda."),
    ("torch.multiprocessing.spawn.spawn", "torch.multiprocessing.spawn"),
)
_OPTIMIZER_MODULES = {
    "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "lbfgs", "nadam", "optimizer", "radam", "rmsprop",
    "rprop", "sgd", "sparse_adam",
}  # fmt: skip

# What `from module import *` brings of the names this tool decides on.
_STAR = {
    "torch": {"cuda", "nn", "device", "optim", "distributed", "save", "load", "manual_seed", "zeros", "ones", "randn",
              "tensor", "Tensor", "autocast", "no_grad"},
    "torch.cuda": {"amp", "is_available", "device_count", "synchronize", "empty_cache", "set_device", "manual_seed",
                   "manual_seed_all", "current_device", "Stream", "Event"},
    "torch.cuda.amp": {"autocast", "GradScaler", "custom_fwd", "custom_bwd"},
    "torch.nn": {"Module", "DataParallel", "Linear", "Sequential", "CrossEntropyLoss", "MSELoss", "SyncBatchNorm"},
    "torch.nn.parallel": {"DistributedDataParallel", "DataParallel"},
    "torch.optim": {"SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "LBFGS", "lr_scheduler"},
    "torch.utils.data": {"DataLoader", "Dataset", "DistributedSampler", "TensorDataset", "IterableDataset"},
    "torch.distributed": {"init_process_group", "get_rank", "get_world_size", "barrier", "all_reduce", "broadcast",
                          "all_gather", "reduce", "is_initialized", "destroy_process_group"},
    "sagemaker.pytorch": {"PyTorch", "TrainingCompilerConfig"},
    "sagemaker.huggingface": {"HuggingFace", "TrainingCompilerConfig"},
}  # fmt: skip


def canonical(name: str) -> str:
    """The public spelling of a torch name: `torch.optim.adam.Adam` -> `torch.optim.Adam`."""
    if not name.startswith("torch."):
        return name
    for prefix, public in _SAME_PLACE:
        if name.startswith(prefix):
            return public + name[len(prefix) :]
    if name.startswith("torch.optim."):
        parts = name.split(".")
        if len(parts) == 4 and parts[2] in _OPTIMIZER_MODULES:
            return f"torch.optim.{parts[3]}"
    return name


@dataclass(eq=False)
class Binding:
    """One place where a name (or `self.attr`, or a dotted name) gets a value."""

    name: str
    kind: str
    """assign, augmented, for, with, parameter, import, function, class, except, walrus, match"""
    node: cst.CSTNode
    """The statement, parameter, import alias or comprehension that binds."""
    value: cst.BaseExpression | None = None
    """The expression bound; for `for` the iterable; None where there is none."""
    path: tuple[int, ...] = ()
    """Where in the value, for tuple unpacking: `a, (b, c) = f()` binds c at (1, 1)."""
    imported: str = ""
    scope: Scope | None = None


@dataclass(eq=False)
class Scope:
    """A module, function, class, lambda or comprehension."""

    node: cst.CSTNode
    outer: Scope | None
    names: dict[str, list[Binding]] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    """Names declared `global` or `nonlocal` here."""
    stars: list[str] = field(default_factory=list)

    @property
    def is_class(self) -> bool:
        return type(self.node) is cst.ClassDef


_COMPREHENSIONS = frozenset((cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp))
_SCOPES = _COMPREHENSIONS | {cst.Module, cst.FunctionDef, cst.ClassDef, cst.Lambda}


def dotted(node: cst.CSTNode | None) -> str | None:
    """`a.b.c` for a chain of attributes on a name, else None."""
    parts: list[str] = []
    while type(node) is cst.Attribute:
        parts.append(node.attr.value)
        node = node.value
    if type(node) is not cst.Name:
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


class Names:
    """Every binding of a module, and look-ups through them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.module = Scope(tree.module, None)
        self._scopes: dict[cst.CSTNode, Scope] = {tree.module: self.module}
        self.attributes: dict[tuple[cst.ClassDef, str], list[Binding]] = {}
        """(class, attribute) -> where `self.attribute` is bound in its methods and its body."""
        self.dotted: dict[str, list[Binding]] = {}
        """`args.device` -> where such a chain is assigned, anywhere in the module."""
        self.modules: set[str] = set()
        """Top-level packages imported anywhere: `torch`, `numpy`."""
        self._qualified: dict[cst.CSTNode, str | None] = {}
        self._scope_at: dict[cst.CSTNode, Scope] = {}
        self._uses: dict[str, list[tuple[str, cst.BaseExpression]]] | None = None
        self._calls: dict[str, list[cst.Call]] | None = None
        self._named: dict[str, list[cst.Name]] = {}
        self._collect()

    # --- scopes -------------------------------------------------------------------------------------------------

    def scope(self, node: cst.CSTNode) -> Scope:
        """The scope in which a node is evaluated."""
        known = self._scope_at.get(node)
        if known is None:
            known = self._scope_at[node] = self._read_scope(node)
        return known

    def _read_scope(self, node: cst.CSTNode) -> Scope:
        # Class tests by `type`: LibCST's nodes are ABCs, whose isinstance is ten times as slow, and this runs per name.
        below, child, parent = node, node, self.tree.parent
        found = parent.get(node)
        while found is not None:
            kind = type(found)
            if kind is cst.IndentedBlock:
                return self.scope(found)
            if kind in _SCOPES:
                if kind in _COMPREHENSIONS:
                    # the first iterable is evaluated outside
                    if type(child) is not cst.CompFor or below is not child.iter or child is not found.for_in:  # type: ignore[attr-defined]
                        return self._scope_of(found)
                elif kind in (cst.FunctionDef, cst.ClassDef, cst.Lambda) and child is not found.body:  # type: ignore[attr-defined]
                    # decorators, defaults, annotations and bases run outside; a parameter's own name does not
                    if kind is cst.FunctionDef and type(parent.get(node)) is cst.Param:
                        return self._scope_of(found)
                else:
                    return self._scope_of(found)
            below, child = child, found
            found = parent.get(found)
        return self.module

    def _scope_of(self, node: cst.CSTNode) -> Scope:
        found = self._scopes.get(node)
        if found is None:
            found = self._scopes[node] = Scope(node, self.scope(node))
        return found

    def all_scopes(self) -> list[Scope]:
        """The module's scope and every scope in it that binds a name."""
        return list(self._scopes.values())

    def _bind(self, scope: Scope, binding: Binding) -> None:
        binding.scope = scope
        target = scope
        if binding.name in scope.shared:
            target = self.module
        target.names.setdefault(binding.name, []).append(binding)

    def _collect(self) -> None:
        tree = self.tree
        for declared in (*tree.all(cst.Global), *tree.all(cst.Nonlocal)):
            scope = self.scope(declared)
            if isinstance(declared, cst.Global):
                scope.shared.update(item.name.value for item in declared.names)
        for function in tree.all(cst.FunctionDef):
            self._bind(self.scope(function), Binding(function.name.value, "function", function))
        for class_ in tree.all(cst.ClassDef):
            self._bind(self.scope(class_), Binding(class_.name.value, "class", class_))
        for parameter in tree.all(cst.Param):
            holder = tree.enclosing(parameter, cst.FunctionDef, cst.Lambda)
            if holder is not None:
                self._bind(
                    self._scope_of(holder), Binding(parameter.name.value, "parameter", parameter, parameter.default)
                )
        self._collect_imports()
        for assign in tree.all(cst.Assign):
            for target in assign.targets:
                self._target(target.target, "assign", assign, assign.value)
        for annotated in tree.all(cst.AnnAssign):
            self._target(annotated.target, "assign", annotated, annotated.value)
        for augmented in tree.all(cst.AugAssign):
            self._target(augmented.target, "augmented", augmented, augmented.value)
        for loop in tree.all(cst.For):
            self._target(loop.target, "for", loop, loop.iter)
        for item in tree.all(cst.WithItem):
            if item.asname is not None:
                self._target(item.asname.name, "with", item, item.item)
        for handler in tree.all(cst.ExceptHandler):
            if handler.name is not None:
                self._target(handler.name.name, "except", handler, None)
        for walrus in tree.all(cst.NamedExpr):
            self._target(walrus.target, "walrus", walrus, walrus.value)
        for comprehension in tree.all(cst.CompFor):
            self._target(comprehension.target, "for", comprehension, comprehension.iter)
        captures: list[tuple[cst.CSTNode, cst.Name | None]] = [(found, found.name) for found in tree.all(cst.MatchAs)]
        captures += [(found, found.name) for found in tree.all(cst.MatchStar)]
        captures += [(found, found.rest) for found in tree.all(cst.MatchMapping)]
        for pattern, captured in captures:
            if captured is not None:
                self._target(captured, "match", pattern, None)
        for bindings in (*self.module.names.values(), *(b for s in self._scopes.values() for b in s.names.values())):
            bindings.sort(key=lambda binding: tree.order[binding.node])

    def _collect_imports(self) -> None:
        for statement in self.tree.all(cst.Import):
            scope = self.scope(statement)
            for alias in statement.names:
                full = dotted(alias.name) or ""
                self.modules.add(full.partition(".")[0])
                if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
                    self._bind(scope, Binding(alias.asname.name.value, "import", alias, imported=full))
                else:
                    root = full.partition(".")[0]
                    self._bind(scope, Binding(root, "import", alias, imported=root))
        for from_ in self.tree.all(cst.ImportFrom):
            scope = self.scope(from_)
            module = "." * len(from_.relative) + (dotted(from_.module) or "")
            if not from_.relative:
                self.modules.add(module.partition(".")[0])
            if isinstance(from_.names, cst.ImportStar):
                scope.stars.append(module)
                continue
            for alias in from_.names:
                name = dotted(alias.name) or ""
                bound = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else name
                separator = "" if module.endswith(".") else "."
                self._bind(scope, Binding(bound, "import", alias, imported=f"{module}{separator}{name}"))

    def _target(
        self,
        target: cst.CSTNode,
        kind: str,
        node: cst.CSTNode,
        value: cst.BaseExpression | None,
        path: tuple[int, ...] = (),
    ) -> None:
        if isinstance(target, cst.Tuple | cst.List):
            for index, element in enumerate(target.elements):
                self._target(element.value, kind, node, value, (*path, index))
        elif isinstance(target, cst.Name):
            scope = self.scope(target)
            self._bind(scope, Binding(target.value, kind, node, value, path))
            if scope.is_class and isinstance(scope.node, cst.ClassDef):
                self.attributes.setdefault((scope.node, target.value), []).append(
                    Binding(target.value, kind, node, value, path, scope=scope)
                )
        elif isinstance(target, cst.Attribute):
            chain = dotted(target)
            if chain is None:
                return
            binding = Binding(chain, kind, node, value, path, scope=self.scope(target))
            class_ = self.tree.class_of(target)
            if class_ is not None and chain.startswith("self.") and chain.count(".") == 1:
                self.attributes.setdefault((class_, target.attr.value), []).append(binding)
            else:
                self.dotted.setdefault(chain, []).append(binding)

    # --- look-up ------------------------------------------------------------------------------------------------

    def find(self, name: str, scope: Scope) -> tuple[Scope, list[Binding]] | None:
        """The scope that binds a name as seen from `scope`, with all its bindings there."""
        found: Scope | None = scope
        first = True
        while found is not None:
            if name in found.shared:
                found = self.module
            if (first or not found.is_class) and name in found.names:
                return found, found.names[name]
            if found is self.module:
                return None
            first = False
            found = found.outer
        return None

    def earlier_bindings(self, name: cst.Name) -> list[Binding]:
        """The bindings that `inner = model` may take its value from: not the `model = DDP(model)` that follows it, nor,
        for the name in `model = DDP(model)`, that one. All of them for a name that is not on the right of an
        assignment."""
        tree, bindings = self.tree, self.bindings(name)
        if len(bindings) < 2:
            return bindings
        assign = tree.parent.get(name)
        if not isinstance(assign, cst.Assign):
            assign = tree.small_statement(name)
            if not any(binding.node is assign for binding in bindings):
                return bindings
        later = {
            binding
            for binding in bindings
            if (tree.before(name, binding.node) or binding.node is assign)
            and tree.function(binding.node) is tree.function(name)
            and tree.loop(binding.node) is None
        }
        return [binding for binding in bindings if binding not in later] if len(later) < len(bindings) else bindings

    def bindings(self, node: cst.BaseExpression) -> list[Binding]:
        """All places that give a name, `self.attribute` or dotted chain its value."""
        if type(node) is cst.Name:
            found = self.find(node.value, self.scope(node))
            return found[1] if found else []
        chain = dotted(node)
        if chain is None:
            return []
        if chain.startswith("self.") and chain.count(".") == 1:
            class_ = self.tree.class_of(node)
            return self.attribute_bindings(class_, chain[5:]) if class_ is not None else []
        return self.dotted.get(chain, [])

    def assigned(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The value of the one assignment that gives a name its value; None where another thing, or more, does."""
        bindings = self.bindings(node)
        return bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None

    def attribute_bindings(self, class_: cst.ClassDef, name: str) -> list[Binding]:
        """Where `self.name` is bound in a class or, failing that, in its base classes of this module."""
        seen: set[cst.ClassDef] = set()
        queue = [class_]
        while queue:
            current = queue.pop(0)
            if current in seen:
                continue
            seen.add(current)
            found = self.attributes.get((current, name))
            if found:
                return found
            queue.extend(base for arg in current.bases if (base := self.local_class(arg.value)) is not None)
        return []

    def local_class(self, node: cst.BaseExpression) -> cst.ClassDef | None:
        """The class of this module that a name means."""
        for binding in self.bindings(node) if type(node) is cst.Name else []:
            if type(binding.node) is cst.ClassDef:
                return binding.node
        return None

    def local_function(self, node: cst.BaseExpression) -> cst.FunctionDef | None:
        """The function of this module that a name, or the method that `self.name`, means."""
        if type(node) is cst.Name:
            for binding in self.bindings(node):
                if type(binding.node) is cst.FunctionDef:
                    return binding.node
        if type(node) is cst.Attribute and type(node.value) is cst.Name and node.value.value in ("self", "cls"):
            class_ = self.tree.class_of(node)
            return self.method(class_, node.attr.value) if class_ is not None else None
        return None

    def method(self, class_: cst.ClassDef, name: str) -> cst.FunctionDef | None:
        """A method of a class of this module, looked up through its local bases."""
        seen: set[cst.ClassDef] = set()
        queue = [class_]
        while queue:
            current = queue.pop(0)
            if current in seen:
                continue
            seen.add(current)
            for statement in current.body.body:
                if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
                    return statement
            queue.extend(base for arg in current.bases if (base := self.local_class(arg.value)) is not None)
        return None

    # --- qualified names ----------------------------------------------------------------------------------------

    def qualified(self, node: cst.CSTNode | None) -> str | None:
        """The library object that an expression means, as its public dotted name, or None.

        Follows imports in every form, `from x import *` for the names it knows, and a name bound exactly once to such
        an object (`Tensor = torch.cuda.FloatTensor`). Builtins give `builtins.print`.
        """
        if node is None:
            return None
        if node in self._qualified:
            return self._qualified[node]
        self._qualified[node] = None  # a name bound to itself
        found = self._resolve(node)
        self._qualified[node] = found
        return found

    def _resolve(self, node: cst.CSTNode) -> str | None:
        if type(node) is cst.Attribute:
            outer = self.qualified(node.value)
            if outer is None or outer.startswith("builtins."):
                return None
            return canonical(f"{outer}.{node.attr.value}")
        if type(node) is not cst.Name:
            return None
        found = self.find(node.value, self.scope(node))
        if found is None:
            return self._from_star(node)
        _, bindings = found
        imports = [binding for binding in bindings if binding.kind == "import"]
        if imports:
            others = [b for b in bindings if b.kind != "import" and not self.is_fallback(b, imports)]
            return None if others else canonical(imports[0].imported)
        if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path:
            value = bindings[0].value
            if type(value) in (cst.Name, cst.Attribute):
                return self.qualified(value)
        return None

    def is_fallback(self, binding: Binding, imports: list[Binding]) -> bool:
        """`try: from torch.cuda.amp import autocast` / `except ImportError: autocast = None`, or the other arm of an
        `if` of the module in which it is imported."""
        if self.tree.enclosing(binding.node, cst.ExceptHandler) is not None:
            return True
        choice = self.tree.enclosing(binding.node, cst.If)
        if choice is None or self.tree.function(choice) is not None or self.tree.contains(choice.body, binding.node):
            return False
        return any(self.tree.contains(choice.body, each.node) for each in imports)

    def _from_star(self, node: cst.Name) -> str | None:
        for module in self.module.stars:
            if node.value in _STAR.get(module, ()):
                return canonical(f"{module}.{node.value}")
        if node.value == "torch" and self.module.stars:
            return "torch"  # bound nowhere else: one of the star imports brings it
        return f"builtins.{node.value}" if node.value in _BUILTINS else None

    def uses(self, prefix: str) -> Iterator[tuple[str, cst.BaseExpression]]:
        """Every use of a library object whose qualified name is `prefix` or under it, whole chains only, not imports.

        `uses("torch.cuda")` gives ("torch.cuda.is_available", <torch.cuda.is_available>) for a call of it too.
        """
        if self._uses is None:
            self._uses = self._read_uses()
        return iter(self._uses.get(prefix, ()))

    def _read_uses(self) -> dict[str, list[tuple[str, cst.BaseExpression]]]:
        """Under each of `torch`, `torch.cuda`, `torch.cuda.is_available` all that begins with it, in source order."""
        found: dict[str, list[tuple[str, cst.BaseExpression]]] = {}
        chains: list[cst.Attribute | cst.Name] = [*self.tree.all(cst.Attribute), *self.tree.all(cst.Name)]
        for node in sorted(chains, key=self.tree.order.__getitem__):
            name = self.qualified(node) if self.is_reference(node) else None
            prefix = name or ""
            while prefix:
                found.setdefault(prefix, []).append((name or "", node))
                prefix = prefix.rpartition(".")[0]
        return found

    def named(self, name: str) -> list[cst.Name]:
        """Every place where a name is written, in source order, whatever it stands for there."""
        if not self._named:
            for node in self.tree.all(cst.Name):
                self._named.setdefault(node.value, []).append(node)
        return self._named.get(name, [])

    def is_reference(self, node: cst.Attribute | cst.Name) -> bool:
        parent = self.tree.parent.get(node)
        kind = type(parent)
        if kind in _NO_REFERENCE:
            return False  # the inner part of a chain, an import, or a target
        if kind is cst.Arg:
            return parent.keyword is not node  # type: ignore[union-attr]
        if kind in (cst.Param, cst.FunctionDef, cst.ClassDef):
            return parent.name is not node  # type: ignore[union-attr]
        return True

    def calls(self, *names: str) -> list[cst.Call]:
        """Calls of library objects by qualified name, in source order; `"torch.cuda.*"` takes everything under it."""
        if self._calls is None:
            self._calls = {}
            for call in self.tree.all(cst.Call):
                name = self.qualified(call.func)
                if name is not None:
                    self._calls.setdefault(name, []).append(call)
        found: list[cst.Call] = []
        for name in names:
            if name.endswith(".*"):
                for key, calls in self._calls.items():
                    if key.startswith(name[:-1]):
                        found.extend(calls)
            else:
                found.extend(self._calls.get(name, []))
        return sorted(found, key=lambda call: self.tree.order[call])


_NO_REFERENCE = frozenset((cst.Attribute, cst.ImportAlias, cst.AsName, cst.Import, cst.ImportFrom, cst.AssignTarget))
_BUILTINS = frozenset(
    [
        "print",
        "input",
        "enumerate",
        "zip",
        "range",
        "iter",
        "next",
        "len",
        "int",
        "float",
        "bool",
        "str",
        "list",
        "tuple",
        "dict",
        "set",
        "sum",
        "min",
        "max",
        "isinstance",
        "getattr",
        "setattr",
        "hasattr",
        "map",
        "filter",
        "reversed",
        "sorted",
        "open",
        "super",
        "all",
        "any",
        "round",
        "abs",
    ]
)


def argument(call: cst.Call, position: int | None, keyword: str) -> cst.Arg | None:
    """The argument of a call by position or keyword; None when absent or hidden behind `*` or `**`."""
    count = 0
    for arg in call.args:
        if arg.star:
            if arg.star == "*" and position is not None and count <= position:
                position = None
            continue
        if arg.keyword is not None:
            if arg.keyword.value == keyword:
                return arg
            continue
        if position is not None and count == position:
            return arg
        count += 1
    return None
