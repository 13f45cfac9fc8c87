"""Save checkpoints from every process.

`torch.save` pickles XLA tensors with their device, which no machine without torch_xla can load. `xm.save` moves them to
the CPU in one transfer and writes on the master of each host only, so every process has to call it: up to torch_xla 2.0
it ends in a rendezvous, and a rank guard around it waits for ever. The guard goes; prints, directories and copies
beside the save keep theirs. A file with the rank in its name is each process's own, and stays so: `master_only=False`.
A guard that has to stay is an error up to 2.0 and none after: there one process may save alone.
(`xm.save(..., global_master=True)` writes once on a file system that hosts share.) An `xm.save` that the script has
already, under such a guard, is opened too where it waits. `model.save_pretrained(path)` of transformers pickles by
torch.save there, and is told to save by xm.save; what later versions write can be read anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial

import libcst as cst

from codemods.kit import build
from codemods.kit.actions import actions
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit, unwrapped
from codemods.kit.guards import is_alike, joined, names_one, names_rank, passes_one, side_by_side, stops_others
from codemods.kit.master_names import is_path_of, on_master_only, reads_master_name
from codemods.kit.names import argument, dotted
from codemods.kit.opened import is_in_dataset, is_on_host, opening_of, read_below, saved_by_name
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk
from codemods.kit.unknown_callers import reached_by_one
from codemods.kit.writers import acts_outside

_SOURCE = "torch_xla 1.13 and 2.1 core/xla_model.py save"

_MASTERS_ONLY = ("rank_zero_only", "main_process_only", "master_only", "once_per_node", "on_main_process", "only_rank0")
_FILES = ("shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move", "shutil.rmtree", "os.rename", "os.replace",
          "os.remove", "os.unlink", "os.symlink")  # fmt: skip


class CheckpointSave(Codemod):
    """Save checkpoints from every process."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC601", "torch.save becomes xm.save", Safety.EXACT, document=_SOURCE),
        Rule("TC602", "the rank guard around a save goes", Safety.REVIEW, document=_SOURCE),
        Rule("TC605", "files beside a save are copied, moved or deleted on the master only", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC607", "a file opened for a save alone is named instead", Safety.EXACT, document=_SOURCE),
        Rule("TC606", "a file that is loaded again is waited for", Safety.EXACT, document=_SOURCE),
        Rule("TC603", "a whole model is saved", Safety.NOTE, Severity.WARNING,
             "save model.state_dict() with xm.save: a pickled module keeps its XLA tensors", _SOURCE),
        Rule("TC617", "a pretrained model is saved through xm.save", Safety.REVIEW,
             advice="transformers before 4.0 has no save_function: save the state_dict() with xm.save there",
             document="transformers 4.21 modeling_utils.py save_pretrained; torch_xla 1.13 core/xla_model.py save"),
        Rule("TC604", "a save that only some processes reach, where it waits for all", Safety.NOTE, Severity.ERROR,
             "call xm.save on every process and guard only what prints, copies or makes directories", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import torch\n\nif rank == 0:\n    torch.save(model.state_dict(), "model.pt")\n',
            smtc='import torch\nimport torch_xla.core.xla_model as xm\n\nxm.save(model.state_dict(), "model.pt")\n',
            xla='import torch\nimport torch_xla.core.xla_model as xm\n\nxm.save(model.state_dict(), "model.pt")\n',
        ),
    )

    def rewrite(self) -> None:
        self._tried: set[cst.CSTNode] = set()
        self._opened: set[cst.CSTNode] = set()
        self._alone = self.edits.alone
        for call in self.script.calls("torch.save"):
            if self._save(call):
                self._open(call, set())
                if self.script.distributed:
                    self._files(call)
                    self._read_back(call)
        for call in self._pretrained:
            edit = self.edit("TC617", call, "is saved through xm.save")
            with_save = partial(build.with_keyword, keyword="save_function", value=edit.say(Idiom.SAVE))
            edit.replace(call, with_save)
            self._open(call, set())
        for call in self._saved_by_hand():
            self._open_saved(call)
        for call in self.script.tree.calls_numbered(self.script.links.saves):  # functions in other files that save
            self._open(call, set())
        if self.script.distributed and not self.can(Idiom.SAVED):
            self._of_unknown_callers()

    def _of_unknown_callers(self) -> None:
        """Say which calls of the rank's may run a method that saves, where nothing shows what they are of."""
        saves = [call for call in self.script.calls("torch.save") if self._is_rewritten(call)]
        own = {name for call in saves for name in self._methods_around(call)}
        known = set(self.script.tree.calls_numbered(self.script.links.saves))
        named = (one for one in self.script.tree.all(cst.FunctionDef) if one.name.value in own)
        known.update(site for function in named for site in self.script.roles.call_sites(function))
        for call in reached_by_one(self.script, own | self.script.links.saving, known):
            code = build.code_of(call.func)
            self.note("TC604", call, f"one process comes here; if {code} saves, xm.save waits for the others")

    def _methods_around(self, call: cst.Call, depth: int = 0) -> set[str]:
        """The methods that a call is in, or that call the one it is in."""
        function = self.script.tree.function(call)
        if function is None or depth > 3:
            return set()
        found = {function.name.value} if self.script.tree.class_of(function) is not None else set()
        return found.union(*(self._methods_around(one, depth + 1) for one in self.script.roles.call_sites(function)))

    def _save(self, call: cst.Call) -> bool:
        saved, file = argument(call, 0, "obj"), argument(call, 1, "f")
        if not self._is_rewritten(call):
            if saved is not None and self.script.is_a(saved.value, Role.MODEL):
                self.note("TC603", call, f"{build.code_of(saved.value)} is pickled whole, with its XLA parameters")
            return False
        for part in self._parts_of(saved.value) if saved is not None else ():
            if self.script.is_a(part, Role.MODEL):
                self.note("TC603", call, f"{build.code_of(part)} is pickled whole, with its XLA parameters")
        own = file is not None and names_rank(self.script, file.value) and not self._is_guarded(call)
        edit = self.edit("TC601", call, "is saved through xm.save" + (", by each process" if own else ""))

        def rewritten(updated: cst.Call) -> cst.Call:
            function = edit.say(Idiom.SAVE)
            obj, file = argument(updated, 0, "obj"), argument(updated, 1, "f")
            if obj is None or file is None:
                return updated.with_changes(func=function)
            kept = [arg.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT) for arg in (obj, file)]
            saved = build.with_arguments(updated, kept).with_changes(func=function)
            return build.with_keyword(saved, "master_only", cst.Name("False")) if own else saved

        edit.replace(call, rewritten)
        opening = opening_of(self.script, call, file) if self.script.distributed else None
        if opening is not None:
            edit = self.edit("TC607", opening, "only the process that writes the file opens it")
            edit.replace(opening, saved_by_name)
        return True

    def _parts_of(self, saved: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The values of a dict that is saved, or of the one that a name was given."""
        made = self.script.names.assigned(saved) if isinstance(saved, cst.Name) else saved
        return [element.value for element in made.elements] if isinstance(made, cst.Dict) else []

    def _is_rewritten(self, call: cst.Call) -> bool:
        """Not the save of a whole model, nor one in memory (each process reads its own copy back), nor one of what was
        copied to the host before: only one process may have it; nor one of a dataset, which is on the host."""
        saved, file = argument(call, 0, "obj"), argument(call, 1, "f")
        if saved is not None and (self.script.is_a(saved.value, Role.MODEL) or is_on_host(saved.value)):
            return False
        if is_in_dataset(self.script, call):
            return False
        return file is None or not self._is_in_memory(file.value)

    @cached_property
    def _pretrained(self) -> list[cst.Call]:
        """The calls of `model.save_pretrained(path)` that would pickle tensors of the device."""
        if self.can(Idiom.SAVED) or "save_pretrained" not in self.script.tree.source:
            return []
        named = [(call, call.func) for call in self.script.tree.all(cst.Call) if call.args]
        return [
            call
            for call, func in named
            if isinstance(func, cst.Attribute) and func.attr.value == "save_pretrained"
            and argument(call, None, "save_function") is None and argument(call, None, "state_dict") is None
            and self._is_of_a_library(func.value)
        ]  # fmt: skip

    def _is_of_a_library(self, node: cst.BaseExpression) -> bool:
        """Whether a value is a model, of no class of the script that saves itself."""
        arms = (node.body, node.orelse) if isinstance(node, cst.IfExp) else (node,)
        values = [value for arm in arms for value in self.script.roles.values(arm) if value.role is Role.MODEL]
        made = (value.origin.func for value in values if isinstance(value.origin, cst.Call))
        classes = (self.script.names.local_class(func) for func in made)
        return bool(values) and not any(c and self.script.names.method(c, "save_pretrained") for c in classes)

    def _saved_by_hand(self) -> list[cst.Call]:
        """The calls of xm.save that the script has already, where it waits for every process by itself."""
        return [] if self.can(Idiom.SAVED) else self.script.calls("torch_xla.core.xla_model.save")

    def _open_saved(self, call: cst.Call) -> None:
        """Let every process reach an xm.save that the script has already; not one that each process writes itself."""
        own = argument(call, None, "master_only")
        if own is None:
            self._open(call, set())
        elif self._is_guarded(call) and build.code_of(own.value) == "False":
            self.note("TC604", call, "xm.save waits for every process, and one alone gets here")

    def _is_guarded(self, call: cst.Call) -> bool:
        """Whether a save stands under a rank guard of its function."""
        tests = (outer.test for outer in self.script.tree.ancestors(call) if isinstance(outer, cst.If))
        return any(map(self._has_guard, tests))

    def _is_in_memory(self, node: cst.BaseExpression) -> bool:
        bindings = self.script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []
        values = [binding.value for binding in bindings]
        return any(
            isinstance(value, cst.Call) and self.script.qualified(value.func) == "io.BytesIO" for value in values
        )

    # --- guards ---------------------------------------------------------------------------------------------------

    def _open(self, call: cst.Call, seen: set[cst.CSTNode]) -> None:
        """Let every process reach a save: its guards, early returns, and the guards of the calls of its function."""
        tree = self.script.tree
        around = [
            outer
            for outer in tree.ancestors(call)
            if isinstance(outer, cst.If)
            and tree.function(outer) is tree.function(call)
            and tree.contains(outer.body, call)
            and not self._is_for_all(outer, call)
        ]
        guards = [outer for outer in around if self._has_guard(outer.test)]
        held = any(self._holds_guard(outer.test) for outer in around if outer not in guards)
        if held or self._is_masters(tree.function(call)):
            self._say_alone(call, "only one process reaches this save")
        if not self._opened.issuperset(guards):
            fresh = [guard for guard in guards if guard not in self._tried]
            self._tried.update(fresh)
            hindrance = next(filter(None, (self._hindrance(guard, call) for guard in fresh)), "")
            if hindrance:
                self._say_alone(call, hindrance)
            if hindrance or not self._opened.issuperset(set(guards) - set(fresh)):
                return  # one that stays keeps the others away from the save: none is opened for nothing
            for guard in fresh:
                self._open_guard(guard, call)
            self._opened.update(fresh)
        function = tree.function(call)
        if function is None or function in seen:
            return
        seen.add(function)
        leaves = self._early_leaves(function, call)
        returns = [early for early in leaves if self._is_opened(early)]
        if len(returns) < len(leaves):
            self._say_alone(call, "only one process gets past what leaves above this save")
            return
        opened = len(self._opened)
        for site in [] if self._trains(function) else self.script.roles.call_sites(function):
            self._open(site, seen)
        if returns or len(self._opened) > opened:
            self._guard_rest(function, call, returns)

    def _say_alone(self, call: cst.Call, message: str) -> None:
        """Where xm.save ends in no rendezvous, one process may save alone."""
        if not self.can(Idiom.SAVED):
            self.note("TC604", call, message)

    def _has_guard(self, test: cst.BaseExpression) -> bool:
        return any(passes_one(self.script, part) for part in (test, *side_by_side(test, cst.And)))

    def _is_masters(self, function: cst.FunctionDef | None) -> bool:
        """Whether a decorator lets one process through: `@rank_zero_only`."""
        decorators = function.decorators if function is not None else ()
        named = [node.func if isinstance(node, cst.Call) else node for node in (each.decorator for each in decorators)]
        return any((dotted(node) or "").rpartition(".")[2] in _MASTERS_ONLY for node in named)

    def _holds_guard(self, test: cst.BaseExpression) -> bool:
        """Whether a part of a condition names what may be a guard: `args.save_logs = args.logs and is_master(args)`."""
        return any(map(self._names_guard, [test, *side_by_side(test, cst.And)]))

    def _names_guard(self, test: cst.BaseExpression) -> bool:
        bindings = self.script.names.bindings(test) if isinstance(test, cst.Name | cst.Attribute) else []
        values = [binding.value for binding in bindings if binding.kind == "assign" and not binding.path]
        return any(value is not None and self._has_guard(value) for value in values)

    def _is_for_all(self, guard: cst.If, call: cst.Call) -> bool:
        """Whether the other processes call the same function: `if rank == 0: train(writer)`, `else: train(None)`."""
        other = walk(guard.orelse) if guard.orelse is not None else ()
        return any(
            isinstance(node, cst.Call) and build.code_of(node.func) == build.code_of(call.func) for node in other
        )

    def _trains(self, function: cst.FunctionDef) -> bool:
        """Whether a function steps or has a backward: every process runs it, whatever stands around its calls."""
        return any(self.script.tree.contains(function, node) for node in self._training)

    @cached_property
    def _training(self) -> list[cst.Call]:
        loops = self.script.loops
        return [*(step.call for step in loops.steps), *(backward.call for backward in loops.backwards)]

    def _hindrance(self, guard: cst.If, call: cst.Call) -> str:
        """Why a guard can't be opened for a save, or an empty string."""
        tree, body = self.script.tree, guard.body
        line = next((item for item in body.body if tree.contains(item, call)), None)
        if (
            guard.orelse is not None
            or isinstance(tree.parent.get(guard), cst.If)
            or not (isinstance(line, cst.SimpleStatementLine | cst.BaseSmallStatement) or self._is_free(line))
        ):
            return "only one process reaches this save"
        own = [reads_master_name(self.script, item, guard) for item in body.body]
        if any(mine and self._is_free(item) and not is_path_of(self.script, item, guard)
               for item, mine in zip(body.body, own, strict=True)):  # fmt: skip
            return "what it saves is known to one process only"
        alone = [node for item in body.body if not self._is_free(item) and item is not line
                 for node in walk(item) if isinstance(node, cst.Assign)]  # fmt: skip
        made = {dotted(target.target) for assign in alone for target in assign.targets}
        free = (node for item in body.body if item is line or self._is_free(item) for node in walk(item))
        if made and any(isinstance(node, cst.Name | cst.Attribute) and dotted(node) in made for node in free):
            return "what it saves is known to one process only"
        return ""

    def _open_guard(self, guard: cst.If, call: cst.Call) -> None:
        body = guard.body
        line = next((item for item in body.body if self.script.tree.contains(item, call)), None)
        ranked = [passes_one(self.script, part) for part in side_by_side(guard.test, cst.And)]
        whole = passes_one(self.script, guard.test)
        own = [reads_master_name(self.script, item, guard) for item in body.body]
        edit = self.edit("TC602", guard, "every process reaches the save")
        free = {item for item in body.body if item is line or self._is_free(item)}
        order = [item in free for item in body.body]

        saved = _called(line) if line is not None else ""

        def opened(updated: cst.If) -> Sequence[cst.BaseStatement] | cst.If:
            # with the edits made inside them
            parts = list(zip(side_by_side(updated.test, cst.And), ranked, strict=False))
            rest = [] if whole else [part for part, is_rank in parts if not is_rank]
            test = updated.test if whole else next(part for part, is_rank in parts if is_rank)
            if any(own) and len(updated.body.body) == len(own):
                named = [on_master_only(item, test, own=mine) if is_free else item
                         for item, mine, is_free in zip(updated.body.body, own, order, strict=True)]  # fmt: skip
                updated = updated.with_changes(body=updated.body.with_changes(body=named))
            items = updated.body.body
            free = order if len(items) == len(order) else [_called(i) == saved or self._is_plain(i) for i in items]
            if rest:
                updated = updated.with_changes(test=joined(rest, cst.And))
            if all(free):
                return updated if rest else unwrapped(updated)
            inner = updated.with_changes(leading_lines=[]) if rest else updated
            pieces = _regrouped(unwrapped(inner), free, guard, test)
            return updated.with_changes(body=updated.body.with_changes(body=pieces)) if rest else pieces

        edit.replace(guard, opened)

    def _is_free(self, item: cst.CSTNode | None) -> bool:
        """What every process may run: assignments, saves, and those that all processes decide alike to run."""
        if isinstance(item, cst.If):
            other = item.orelse.body.body if isinstance(item.orelse, cst.Else) else [item.orelse] if item.orelse else []
            return is_alike(self.script, item.test) and all(map(self._is_free, [*item.body.body, *other]))
        return item is not None and (self._is_plain(item) or self._becomes_save(item))

    def _becomes_save(self, item: cst.CSTNode) -> bool:
        """A statement that is another save, which waits for the other processes as well."""
        calls = [call for call in self.script.calls("torch.save") if self._is_rewritten(call)]
        calls += self.script.tree.calls_numbered(self.script.links.saves)
        calls += [*self._saved_by_hand(), *self._pretrained]
        return any(self.script.tree.statement(call) is item for call in calls)

    def _is_plain(self, item: cst.CSTNode) -> bool:
        """A statement that every process may run: assignments of names, without calls that act."""
        smalls = item.body if isinstance(item, cst.SimpleStatementLine) else [item]
        plain = all(isinstance(small, cst.Assign | cst.AnnAssign | cst.Pass) for small in smalls)
        return plain and not acts_outside(self.script, item)

    def _early_leaves(self, function: cst.FunctionDef, call: cst.Call) -> list[cst.If]:
        """What asks for the rank above a save, in the blocks it stands in, and leaves by `return` or `continue`; not
        above what trains: one process does that alone."""
        tree = self.script.tree
        holders = [outer for outer in (call, *tree.ancestors(call)) if tree.function(outer) is function]
        last = max((tree.order[node] for node in self._training if tree.before(node, call)), default=-1)
        beside = (item for holder in holders for item in tree.block(holder)
                  if tree.before(item, holder) and not tree.order[item] < last < tree.order[call])  # fmt: skip
        return [
            item
            for item in beside
            if isinstance(item, cst.If)
            and names_one(self.script, item.test)
            and any(isinstance(node, cst.Return | cst.Continue) and tree.function(node) is function
                    for node in walk(item))
        ]  # fmt: skip

    def _is_opened(self, early: cst.If) -> bool:
        """Whether an early return does nothing else, and a part of its test stops all processes but the first."""
        alone = early.orelse is None and len(early.body.body) == 1
        leaves = alone and any(isinstance(node, cst.Return | cst.Continue) for node in _smalls(early.body))
        return leaves and any(stops_others(self.script, part) for part in side_by_side(early.test, cst.Or))

    def _without_rank(self, early: cst.If) -> Callable[[cst.If], cst.If | None]:
        """An early return without the part of its test that asks for the rank; nothing, where that is all."""
        stops = [stops_others(self.script, part) for part in side_by_side(early.test, cst.Or)]

        def opened(updated: cst.If) -> cst.If | None:
            rest = [part for part, stop in zip(side_by_side(updated.test, cst.Or), stops, strict=False) if not stop]
            return updated.with_changes(test=joined(rest, cst.Or)) if rest else None

        return opened

    def _guard_rest(self, function: cst.FunctionDef, call: cst.Call, returns: list[cst.If]) -> None:
        """Inside a function that now runs everywhere, what is not the save is done on the master only."""
        tree = self.script.tree
        for early in [one for one in returns if one not in self._opened]:
            self.edit("TC602", early, "every process reaches the save").replace(early, self._without_rank(early))
        self._opened.update(returns)
        saves: set[cst.CSTNode] = {
            node for node in walk(function.body) if isinstance(node, cst.Call) and self._reaches_save(node)
        }
        rest: list[cst.CSTNode] = [item for early in returns for item in tree.block(early) if tree.before(early, item)]
        for item in rest if returns else function.body.body:
            for action in actions(self.script, item, saves):
                if not any(each in self._alone for each in (action, *tree.ancestors(action))):
                    self._alone.add(action)
                    edit = self.edit("TC602", action, "is done on the master only")
                    edit.replace(action, self._on_master(edit))

    def _read_back(self, call: cst.Call) -> None:
        """A file that the function loads again: up to 2.0 xm.save waits until it is written, later it does not."""
        load = read_below(self.script, call) if self.can(Idiom.SAVED) else None
        if load is not None:
            edit = self.edit("TC606", call, f"line {self.script.tree.line(load)} reads the file on every process")
            edit.after(call, edit.say_statements(Idiom.SAVED))

    def _reaches_save(self, call: cst.Call, depth: int = 0) -> bool:
        """Whether a call saves, or calls a function of the script that does."""
        if call in self.script.calls("torch.save") or call in self.script.tree.calls_numbered(self.script.links.saves):
            return True
        if call in self._saved_by_hand() or call in self._pretrained:
            return True
        inner = (node for function in self._called_by(call) for node in walk(function.body)) if depth < 4 else ()
        return any(isinstance(node, cst.Call) and self._reaches_save(node, depth + 1) for node in inner)

    def _called_by(self, call: cst.Call) -> list[cst.FunctionDef]:
        """The functions of the script that a call may run: a method of whatever object has one of this name."""
        function = self.script.names.local_function(call.func)
        if function is not None or not isinstance(call.func, cst.Attribute) or self.script.qualified(call.func):
            return [function] if function is not None else []
        name, tree = call.func.attr.value, self.script.tree
        return [one for one in tree.all(cst.FunctionDef) if one.name.value == name and tree.class_of(one) is not None]

    def _files(self, call: cst.Call) -> None:
        """What copies, renames or deletes files after a save is done once: only the master has written its file."""
        tree = self.script.tree
        line = tree.statement(call)
        block = list(tree.block(line)) if line is not None else []
        for item in block:
            if item is line or item in self._alone or not tree.before(call, item):
                continue
            guards = [outer.test for outer in (item, *tree.ancestors(item)) if isinstance(outer, cst.If)]
            if any(self._has_guard(test) for test in guards):
                continue
            for action in actions(self.script, item, {call}):
                acts = any(tree.contains(action, found) for found in self.script.calls(*_FILES))
                if acts and not any(each in self._alone for each in (action, *tree.ancestors(action))):
                    self._alone.add(action)
                    edit = self.edit("TC605", action, "one process is enough: the others would do it at the same time")
                    edit.replace(action, self._on_master(edit))

    def _on_master(self, edit: Edit):  # type: ignore[no-untyped-def]
        def wrapped(updated: cst.BaseStatement) -> cst.If:
            lines = list(getattr(updated, "leading_lines", ()))
            if isinstance(updated, cst.If) and updated.orelse is None:
                both = cst.BooleanOperation(build.parenthesized(updated.test), cst.And(), edit.say(Idiom.IS_MASTER))
                return updated.with_changes(test=both)
            inner = updated.with_changes(leading_lines=[])
            return cst.If(edit.say(Idiom.IS_MASTER), cst.IndentedBlock([inner]), leading_lines=lines)

        return wrapped


def _called(item: cst.CSTNode) -> str:
    """The last name of what a statement calls for its own sake: `save` of `torch.save(...)`."""
    small = item.body[0] if isinstance(item, cst.SimpleStatementLine) else item
    call = small.value if isinstance(small, cst.Expr) else None
    return (dotted(call.func) or "").rpartition(".")[2] if isinstance(call, cst.Call) else ""


def _regrouped(
    body: Sequence[cst.BaseStatement], free: Sequence[bool], guard: cst.If, test: cst.BaseExpression
) -> list[cst.BaseStatement]:
    """The body with each run of statements that are not free under the guard's test again."""
    found: list[cst.BaseStatement] = []
    run: list[cst.BaseStatement] = []

    def close() -> None:
        if run:
            lines = list(getattr(run[0], "leading_lines", ()))
            run[0] = run[0].with_changes(leading_lines=[])
            found.append(guard.with_changes(test=test, body=cst.IndentedBlock(list(run)), leading_lines=lines))
            run.clear()

    for item, is_free in zip(body, free, strict=True):
        if is_free:
            close()
            found.append(item)
        else:
            run.append(item)
    close()
    return found


def _smalls(block: cst.BaseSuite) -> list[cst.CSTNode]:
    found: list[cst.CSTNode] = []
    for item in block.body:
        found += item.body if isinstance(item, cst.SimpleStatementLine) else [item]
    return found
