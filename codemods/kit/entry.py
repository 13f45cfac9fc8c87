"""What a script runs when it starts: its `__main__` guard, and the work it does at module level."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import libcst as cst

from codemods.kit import build
from codemods.kit.device_loaders import How
from codemods.kit.devices import Devices
from codemods.kit.edits import Edit
from codemods.kit.environment import VARIABLES
from codemods.kit.launch import TRAINERS
from codemods.kit.roles import Role
from codemods.kit.script import Script
from codemods.kit.tree import walk

# Calls at module level that use the device or ask for ranks, which must wait until the processes run.
_EARLY = ("torch.cuda.", "torch.distributed.", "torch.manual_seed", "torch.device", "torch.accelerator.",
          "torch.utils.data.distributed.")  # fmt: skip
# What the work of training is made of.
_WORK = (Role.MODEL, Role.OPTIMIZER, Role.LOADER, Role.SCALER, Role.SCHEDULER, Role.DATASET)
_DEFINED = ("import", "function", "class")
"""Bindings that are no variables."""
_XLA_RANKS = ("torch_xla.core.xla_model.xrt_world_size", "torch_xla.core.xla_model.get_ordinal",
              "torch_xla.core.xla_model.get_local_ordinal")  # fmt: skip
# What a loop at module level may call and still be a definition.
_TEXT_METHODS = ("islower", "isupper", "startswith", "endswith", "lower", "upper", "strip", "split", "replace", "items",
                 "keys", "values", "append", "setdefault", "add_argument")  # fmt: skip
_LOOKS = ("callable", "isinstance", "issubclass", "dir", "getattr", "hasattr", "setattr", "sorted", "list", "range",
          "len", "enumerate", "zip", "str")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Entry:
    """Where a script begins."""

    guard: cst.If | None
    """`if __name__ == "__main__":`"""
    call: cst.Call | None
    """When the guard's body is one call of a function of the script without arguments: that call."""
    work: tuple[cst.BaseStatement, ...]
    """Top-level statements, without the guard, from the first on that does the script's work: reads the command line,
    uses the device, builds a model or loader, calls a function of the script, loops. Definitions and imports are not
    among them; constants and an argument parser above it stay where they are."""
    obstacle: cst.CSTNode | None
    """A call of `exec`, `globals` or `locals` among them, which would mean something else inside a function."""

    @property
    def starts(self) -> bool:
        """Whether the work does more than give names their values: a script, not a module of functions."""
        return any(map(_starts, self.work))

    @property
    def body(self) -> Sequence[cst.CSTNode]:
        """The statements under the guard: small ones where it is one line, `if __name__ == "__main__": main()`."""
        return self.guard.body.body if self.guard is not None else ()


def _starts(item: cst.CSTNode) -> bool:
    """Whether a statement does more than bind names, also by a choice: `if V(torch.__version__) >= V("1.10"): ...`."""
    if isinstance(item, cst.SimpleStatementLine):
        return any(map(_starts, item.body))
    if isinstance(item, cst.If | cst.Else):
        other = item.orelse if isinstance(item, cst.If) else None
        return any(map(_starts, item.body.body)) or (other is not None and _starts(other))
    if isinstance(item, cst.BaseSmallStatement):
        return isinstance(item, cst.Expr)
    return not isinstance(item, cst.FunctionDef | cst.ClassDef)


def read_entry(script: Script, parses: bool = True) -> Entry:
    """The entry of a script. `parses` tells whether reading the command line counts as work: importing a script again
    may read it again, but not under a launcher that has its own command line."""
    members = [item for item in script.module.body if isinstance(item, cst.BaseStatement)]
    guard = next((item for item in members if isinstance(item, cst.If) and script.is_main_guard(item)), None)
    devices = Devices(script)
    work: list[cst.BaseStatement] = []
    for item in members:
        if item is guard or (_is_definition(item) and not _goes_along(script, item, work)):
            continue
        if work or (_works(script, devices, item, parses) and uses_of_rank(script, item) is None):
            work.append(item)
    if work and (_gives_names(script, work) or (guard is None and is_library(script))):
        work.clear()
    return Entry(guard, _only_call(script, guard), tuple(work), _obstacle(script, work))


def _goes_along(script: Script, item: cst.BaseStatement, work: Sequence[cst.BaseStatement]) -> bool:
    """Whether a choice of values below some work reads, or binds again, a name that the work binds."""
    if not work or not isinstance(item, cst.If | cst.Try):
        return False
    top, is_moved = script.names.module.names, _within(script, work)
    used = {name.value for name in script.tree.inside(item, cst.Name) if script.tree.function(name) is None}
    bindings = [binding for name in used for binding in top.get(name, ())]
    return any(binding.kind not in _DEFINED and is_moved(binding.node) for binding in bindings)


def _gives_names(script: Script, work: Sequence[cst.BaseStatement]) -> bool:
    """Whether other files import what this work makes (`from state import net`): it has to stay at the top level."""
    made = [binding for name in script.links.wanted for binding in script.names.module.names.get(name, ())]
    if made:
        # What is imported runs with what its module made, `logger`, when nothing of the script is started.
        made += [binding for name in _read_in_functions(script) for binding in script.names.module.names[name]]
    return any(binding.node is item or script.tree.contains(item, binding.node) for binding in made for item in work)


def _read_in_functions(script: Script) -> set[str]:
    """Names of the module that its functions read."""
    tree, names = script.tree, script.names
    top = names.module.names
    read = {name.value for name in tree.all(cst.Name) if name.value in top and tree.function(name) is not None}
    return {name for name in read if any(binding.kind == "assign" for binding in top[name])}


def uses_of_rank(script: Script, item: cst.CSTNode) -> list[cst.Name] | None:
    """`RANK = int(os.environ["RANK"])` at the top of a module that does no other work when it is imported: the uses of
    the name, all in functions, which run when the processes have started. None for anything else."""
    tree, names = script.tree, script.names
    assign = item.body[0] if isinstance(item, cst.SimpleStatementLine) and len(item.body) == 1 else None
    if not isinstance(assign, cst.Assign) or tree.parent.get(item) is not tree.module:
        return None
    target = assign.targets[0].target
    reads = any(tree.contains(assign.value, read.node) for read in script.ranks.reads)
    if not reads or not isinstance(target, cst.Name) or len(names.bindings(target)) != 1:
        return None
    binding = names.bindings(target)[0]
    uses = [name for name in tree.all(cst.Name) if name.value == target.value and names.is_reference(name)]
    uses = [use for use in uses if names.bindings(use) == [binding] and use is not target]
    if any(tree.function(use) is None and not _in_guard(script, use) for use in uses):
        return None
    guarded = any(script.is_main_guard(line) for line in tree.module.body)
    return uses if guarded or (uses and is_library(script)) else None


def is_library(script: Script) -> bool:
    """Whether a module without a guard only defines things when it is imported."""
    devices = Devices(script)
    members = [item for item in script.module.body if isinstance(item, cst.BaseStatement) and not _is_definition(item)]
    return not any(script.is_main_guard(item) or _works(script, devices, item, True, ranks=False) for item in members)


def trains_by_xla_ranks(script: Script) -> bool:
    """Whether a script that was migrated by hand trains by what torch_xla says of the processes."""
    asked = [call for call in script.calls(*_XLA_RANKS) if not _is_scale(script, call)]
    return bool(asked) and bool(script.loops.train_loops())


def _is_scale(script: Script, call: cst.Call) -> bool:
    """`xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())`, which does no harm to one process."""
    arg = script.tree.enclosing(call, cst.Arg)
    return arg is not None and arg.keyword is not None and arg.keyword.value == "scale"


def runs_ahead(script: Script, node: cst.CSTNode) -> bool:
    """Whether a node runs before the processes start: at the top level of a file that one which starts them imports."""
    if not script.links.several or script.tree.function(node) is not None or _in_guard(script, node):
        return False
    return not script.launch.several or bool(script.links.wanted)


def _in_guard(script: Script, node: cst.CSTNode) -> bool:
    return any(script.is_main_guard(outer) for outer in script.tree.ancestors(node))


def _obstacle(script: Script, work: Sequence[cst.BaseStatement]) -> cst.CSTNode | None:
    for call in script.tree.all(cst.Call):
        if isinstance(call.func, cst.Name) and call.func.value in ("exec", "globals", "locals", "vars"):
            if not (call.func.value == "vars" and call.args) and script.tree.function(call) is None:
                if any(script.tree.contains(item, call) for item in work):
                    return call
    return None


def _is_definition(item: cst.BaseStatement) -> bool:
    if isinstance(item, cst.FunctionDef | cst.ClassDef):
        return True
    if isinstance(item, cst.SimpleStatementLine):
        first = item.body[0]
        if isinstance(first, cst.Expr):
            return isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)
        return isinstance(first, cst.Import | cst.ImportFrom)
    if isinstance(item, cst.Try) and any(isinstance(node, cst.Import | cst.ImportFrom) for node in walk(item.body)):
        return True  # an optional import, with what is done when it is missing
    return isinstance(item, cst.Try | cst.If) and not any(
        isinstance(node, cst.Call | cst.For | cst.While) for node in walk(item)
    )


def _works(script: Script, devices: Devices, item: cst.BaseStatement, parses: bool, ranks: bool = True) -> bool:
    if isinstance(item, cst.For) and _registers(script, item):
        return False
    if isinstance(item, cst.For | cst.While | cst.With):
        return True
    if script.group.takes_line(item):
        return False
    for node in walk(item):
        kind = type(node)
        if kind in (cst.FunctionDef, cst.ClassDef, cst.Lambda):
            return False
        if kind is cst.Assign and devices.is_accelerator(node.value):  # type: ignore[attr-defined]
            return True
        if node in script.device_positions.defining:
            return True  # `w = torch.zeros(4, device="cuda")`
        if kind is cst.SimpleString and node.raw_value in VARIABLES:  # type: ignore[attr-defined]
            if not ranks or script.ranks.keeps_default(node):
                continue
            return True  # `os.environ["RANK"]`
        if kind is cst.Attribute and (script.qualified(node) or "").startswith(_EARLY):
            return True
        if isinstance(node, cst.Call):
            name = script.qualified(node.func) or ""
            last = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
            if name.startswith(_EARLY) or name in TRAINERS or any(script.is_a(node, role) for role in _WORK):
                return True
            if last in ("cuda", "backward") or (parses and last in ("parse_args", "parse_known_args")):
                return True
            if script.names.local_function(node.func) is not None:
                return True
            if parses and script.tree.order[node] in script.links.parses:
                return True  # `options = Options().parse()`
    return False


def _registers(script: Script, loop: cst.For) -> bool:
    """A loop that only fills a table by names, as imports do: `for name in dir(nets): models[name] = ...`."""
    for node in walk(loop):
        if isinstance(node, cst.Call):
            method = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
            if method not in _TEXT_METHODS and build.code_of(node.func) not in _LOOKS:
                return False
    attributes = (node for node in walk(loop) if isinstance(node, cst.Attribute))
    return not any((script.qualified(node) or "").startswith("torch.") for node in attributes)


def only_call(body: Sequence[cst.BaseStatement]) -> str | None:
    """The text of the call without arguments that these statements are, if they are one."""
    line = body[0] if len(body) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or call.args or not isinstance(call.func, cst.Name):
        return None
    return build.code_of(call)


def _only_call(script: Script, guard: cst.If | None) -> cst.Call | None:
    line = guard.body.body[0] if guard is not None and len(guard.body.body) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
    if not isinstance(small, cst.Expr) or not isinstance(small.value, cst.Call) or small.value.args:
        return None
    return small.value if script.names.local_function(small.value.func) is not None else None


def _within(script: Script, moved: Iterable[cst.CSTNode]) -> Callable[[cst.CSTNode], bool]:
    """Whether a node is one of these statements or in one."""
    inside = set(moved)
    return lambda node: node in inside or any(outer in inside for outer in script.tree.ancestors(node))


def _taken_below(script: Script, is_moved: Callable[[cst.CSTNode], bool]) -> dict[str, cst.CSTNode]:
    """Functions and classes that stay, and take the name of a variable of what moves from further up."""
    found: dict[str, cst.CSTNode] = {}
    for name, bindings in script.names.module.names.items():
        stays = [b.node for b in bindings if b.kind in ("function", "class") and not is_moved(b.node)]
        moves = [b.node for b in bindings if b.kind not in _DEFINED and is_moved(b.node)]
        if stays and moves and all(script.tree.before(node, stays[-1]) for node in moves):
            found[name] = stays[-1]
    return found


def shared_names(script: Script, moved: Iterable[cst.CSTNode]) -> list[str]:
    """Names bound by top-level statements that functions read: `global` in the function they move into. Not those that
    a definition further down takes: that one is what functions read."""
    tree, names = script.tree, script.names
    is_moved = _within(script, moved)
    bound = {
        name
        for name, bindings in names.module.names.items()
        if any(binding.kind not in _DEFINED and is_moved(binding.node) for binding in bindings)
    } - _taken_below(script, is_moved).keys()
    # Names that what stays at the top level binds too: `count = 5` above, `count //= n` moved.
    found = [
        name
        for name in bound
        if any(binding.kind != "import" and not is_moved(binding.node) for binding in names.module.names[name])
    ]
    for node in tree.all(cst.Name):
        if node.value in bound and node.value not in found and not _is_label(script, node):
            scope = names.scope(node)
            if scope is not names.module and not is_moved(node):
                owner = names.find(node.value, scope)
                if owner is not None and owner[0] is names.module:
                    found.append(node.value)
    made = [wrap.name for wrap in script.loaders.wraps if wrap.how is How.NAMED and is_moved(wrap.place)
            and any(tree.function(site) is not None and not is_moved(site) for site in wrap.sites)]  # fmt: skip
    return [*(name for name in names.module.names if name in found), *made]


def _is_label(script: Script, node: cst.Name) -> bool:
    """Whether a name stands for no variable: `entropy` of `policy.entropy()`, or of `f(entropy=0.1)`."""
    holder = script.tree.parent.get(node)
    return (isinstance(holder, cst.Attribute) and holder.attr is node) or (
        isinstance(holder, cst.Arg) and holder.keyword is node
    )


def needed_at_import(script: Script, moved: Sequence[cst.CSTNode]) -> cst.CSTNode | None:
    """A definition whose decorators, defaults, bases or class body use a name that would no longer be there; or that
    takes the name of a variable, and is meant by what moves further down."""
    tree, names = script.tree, script.names
    inside = set(moved)
    is_moved = _within(script, moved)
    for name, definition in _taken_below(script, is_moved).items():
        uses = (node for node in tree.all(cst.Name) if node.value == name and is_moved(node))
        if any(tree.before(definition, node) for node in uses):
            return definition
    bound = {
        name
        for name, bindings in names.module.names.items()
        if all(any(o in inside for o in (b.node, *tree.ancestors(b.node))) for b in bindings)
    }
    for node in tree.all(cst.Name):
        if node.value not in bound or any(outer in inside for outer in (node, *tree.ancestors(node))):
            continue
        scope = names.scope(node)
        while scope.is_class and scope.outer is not None:
            scope = scope.outer
        if scope is names.module:
            statement = tree.statement(node)
            outermost = [o for o in (statement, *tree.ancestors(node)) if isinstance(o, cst.FunctionDef | cst.ClassDef)]
            if outermost:
                return outermost[-1]
    return None


def free_name(script: Script, *wanted: str) -> str:
    """The first of these names that the module does not bind."""
    return next((name for name in wanted if name not in script.names.module.names), wanted[-1])


def function(
    name: str, parameters: str, body: Sequence[cst.BaseStatement], shared: Sequence[str] = ()
) -> cst.FunctionDef:
    """`def name(parameters):` over statements, two blank lines above it."""
    made = build.statements(f"def {name}({parameters}):\n    pass\n")[0]
    assert isinstance(made, cst.FunctionDef)
    left = {node.value for item in body for node in walk(item) if isinstance(node, cst.Name)}
    shared = [name for name in shared if name in left]  # other codemods took away what bound the rest
    head = build.statements(f"global {', '.join(shared)}") if shared else []
    statements = [*head, *(_inside(item, first=not head and index == 0) for index, item in enumerate(body))]
    return made.with_changes(
        body=cst.IndentedBlock(statements), leading_lines=[cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    )


def _inside(item: cst.BaseStatement, first: bool) -> cst.BaseStatement:
    """A top-level statement as part of a block: one blank line above it at most, none with spaces in it."""
    lines: list[cst.EmptyLine] = []
    for line in getattr(item, "leading_lines", ()):
        blank = line.comment is None
        if blank and (lines[-1].comment is None if lines else first):
            continue
        lines.append(line.with_changes(indent=False) if blank else line)
    return item.with_changes(leading_lines=lines) if hasattr(item, "leading_lines") else item


def guarded(code: str | Sequence[cst.BaseStatement]) -> cst.If:
    """`if __name__ == "__main__":` over statements, two blank lines above it."""
    made = build.statements('if __name__ == "__main__":\n    pass\n')[0]
    assert isinstance(made, cst.If)
    body = build.statements(code) if isinstance(code, str) else list(code)
    return made.with_changes(
        body=cst.IndentedBlock(body), leading_lines=[cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    )


def run_per_process(
    edit: Edit, entry: Entry, name: str, shared: Sequence[str], start: Callable[[str], Sequence[cst.BaseStatement]]
) -> None:
    """Move the work at module level and under the guard into `name()`, which `_mp_fn(index)` calls; `start` gives what
    the guard does then, from the text of that call."""

    def made(body: list[cst.BaseStatement]) -> list[cst.BaseStatement]:
        called = only_call(body)  # when all else was what other codemods took away
        if called is not None:
            return [function("_mp_fn", "index", build.statements(called)), guarded(start(called))]
        mp_fn = function("_mp_fn", "index", build.statements(f"{name}()"))
        return [function(name, "", body, shared), mp_fn, guarded(start(f"{name}()"))]

    if entry.guard is None:
        edit.gather(entry.work, made)
    elif not entry.work:
        edit.replace(entry.guard, lambda updated: made(_lines(updated.body)))
    else:
        edit.replace(entry.guard, lambda updated: _lines(updated.body))
        edit.gather([*entry.work, entry.guard], made)


def _lines(body: cst.BaseSuite) -> list[cst.BaseStatement]:
    """The statements of a block, also of one in the line of its head; the comment of that line above them."""
    if isinstance(body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)]
    found = [item for item in body.body if isinstance(item, cst.BaseStatement)]
    comment = body.header.comment if isinstance(body, cst.IndentedBlock) else None
    if comment is not None and found and isinstance(found[0], cst.SimpleStatementLine):
        found[0] = found[0].with_changes(leading_lines=[cst.EmptyLine(comment=comment), *found[0].leading_lines])
    return found
