"""Save checkpoints from every process.

`torch.save` pickles XLA tensors with their device, which no machine without torch_xla can load. `xm.save` moves them to
the CPU in one transfer and writes on the master of each host only, so every process has to call it: up to torch_xla 2.0
it ends in a rendezvous, and a rank guard around it waits for ever. The guard goes; prints, directories and copies
beside the save keep theirs. (`xm.save(..., global_master=True)` writes once on a file system that hosts share.)
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit, unwrapped
from codemods.kit.guards import passes_one, stops_others
from codemods.kit.names import argument, dotted
from codemods.kit.opened import opening_of, saved_by_name
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_SOURCE = "torch_xla 1.13 and 2.1 core/xla_model.py save"

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
        Rule("TC604", "a save that only some processes reach", Safety.NOTE, Severity.ERROR,
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
        self._opened: set[cst.CSTNode] = set()
        self._alone: set[cst.CSTNode] = set()
        for call in self.script.calls("torch.save"):
            if self._save(call):
                self._open(call, set())
                if self.script.distributed:
                    self._files(call)
                    self._read_back(call)
        for call in self.script.tree.calls_numbered(self.script.links.saves):  # functions in other files that save
            self._open(call, set())

    def _save(self, call: cst.Call) -> bool:
        saved = argument(call, 0, "obj")
        if saved is not None and self.script.is_a(saved.value, Role.MODEL):
            self.note("TC603", call, f"{build.code_of(saved.value)} is pickled whole, with its XLA parameters")
            return False
        file = argument(call, 1, "f")
        if file is not None and self._is_in_memory(file.value):
            return False  # each process reads its own copy back
        edit = self.edit("TC601", call, "is saved through xm.save")

        def rewritten(updated: cst.Call) -> cst.Call:
            function = edit.say(Idiom.SAVE)
            obj, file = argument(updated, 0, "obj"), argument(updated, 1, "f")
            if obj is None or file is None:
                return updated.with_changes(func=function)
            kept = [arg.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT) for arg in (obj, file)]
            return build.with_arguments(updated, kept).with_changes(func=function)

        edit.replace(call, rewritten)
        opening = opening_of(self.script, call, file) if self.script.distributed else None
        if opening is not None:
            edit = self.edit("TC607", opening, "only the process that writes the file opens it")
            edit.replace(opening, saved_by_name)
        return True

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
        guards = [
            outer
            for outer in tree.ancestors(call)
            if isinstance(outer, cst.If)
            and tree.function(outer) is tree.function(call)
            and tree.contains(outer.body, call)
            and self._has_guard(outer.test)
        ]
        for guard in guards:
            if guard not in self._opened:
                self._opened.add(guard)
                self._open_guard(guard, call)
        function = tree.function(call)
        if function is None or function in seen:
            return
        seen.add(function)
        returns = self._early_returns(function, call)
        sites = self.script.roles.call_sites(function)
        opened = len(self._opened)
        for site in sites:
            self._open(site, seen)
        if returns or len(self._opened) > opened:
            self._guard_rest(function, call, returns)

    def _has_guard(self, test: cst.BaseExpression) -> bool:
        return passes_one(self.script, test) or any(passes_one(self.script, part) for part in _conjuncts(test))

    def _open_guard(self, guard: cst.If, call: cst.Call) -> None:
        tree = self.script.tree
        body = guard.body
        line = next((item for item in body.body if tree.contains(item, call)), None)
        ranked = [passes_one(self.script, part) for part in _conjuncts(guard.test)]
        whole = passes_one(self.script, guard.test)
        if (
            guard.orelse is not None
            or isinstance(tree.parent.get(guard), cst.If)
            or not isinstance(line, cst.SimpleStatementLine | cst.BaseSmallStatement)
        ):
            self.note("TC604", call, "only one process reaches this save")
            return
        edit = self.edit("TC602", guard, "every process reaches the save")
        free = {item for item in body.body if item is line or self._is_plain(item)}
        order = [item in free for item in body.body]

        saved = _called(line)

        def opened(updated: cst.If) -> Sequence[cst.BaseStatement] | cst.If:
            parts = list(zip(_conjuncts(updated.test), ranked, strict=False))  # with the edits made inside them
            rest = [] if whole else [part for part, is_rank in parts if not is_rank]
            test = updated.test if whole else next(part for part, is_rank in parts if is_rank)
            items = updated.body.body
            free = order if len(items) == len(order) else [_called(i) == saved or self._is_plain(i) for i in items]
            if rest:
                joined = rest[0]
                for part in rest[1:]:
                    joined = cst.BooleanOperation(joined, cst.And(), part)
                updated = updated.with_changes(test=joined)
            if all(free):
                return updated if rest else unwrapped(updated)
            inner = updated.with_changes(leading_lines=[]) if rest else updated
            pieces = _regrouped(unwrapped(inner), free, guard, test)
            return updated.with_changes(body=updated.body.with_changes(body=pieces)) if rest else pieces

        edit.replace(guard, opened)

    def _is_plain(self, item: cst.CSTNode) -> bool:
        """A statement that every process may run: assignments of names, without calls that act."""
        smalls = item.body if isinstance(item, cst.SimpleStatementLine) else [item]
        return all(isinstance(small, cst.Assign | cst.AnnAssign | cst.Pass) for small in smalls)

    def _early_returns(self, function: cst.FunctionDef, call: cst.Call) -> list[cst.If]:
        if not isinstance(function.body, cst.IndentedBlock):
            return []
        return [
            item
            for item in function.body.body
            if isinstance(item, cst.If)
            and item.orelse is None
            and self.script.tree.before(item, call)
            and stops_others(self.script, item.test)
            and len(item.body.body) == 1
            and any(isinstance(node, cst.Return) for node in _smalls(item.body))
        ]

    def _guard_rest(self, function: cst.FunctionDef, call: cst.Call, returns: list[cst.If]) -> None:
        """Inside a function that now runs everywhere, what is not the save is done on the master only."""
        for early in returns:
            self.edit("TC602", early, "every process reaches the save").replace(early, lambda updated: None)
        for item in function.body.body:
            if item in returns or self._is_plain(item) or not _acts(item) or self._saves(item):
                continue
            if item not in self._alone:
                self._alone.add(item)
                edit = self.edit("TC602", item, "is done on the master only")
                edit.replace(item, self._on_master(edit))

    def _read_back(self, call: cst.Call) -> None:
        """A file that the function loads again: up to 2.0 xm.save waits until it is written, later it does not."""
        tree, file = self.script.tree, argument(call, 1, "f")
        if file is None or not self.can(Idiom.SAVED):
            return
        for load in self.script.calls("torch.load"):
            read = argument(load, 0, "f")
            if read is not None and tree.before(call, load) and tree.function(load) is tree.function(call):
                if build.code_of(read.value) == build.code_of(file.value):
                    edit = self.edit("TC606", call, f"line {tree.line(load)} reads the file on every process")
                    edit.after(call, edit.say_statements(Idiom.SAVED))
                    return

    def _saves(self, item: cst.CSTNode, depth: int = 0) -> bool:
        """Whether a save is in a statement, or in a function of the script that it calls."""
        tree, names = self.script.tree, self.script.names
        if any(tree.contains(item, save) for save in self.script.calls("torch.save")):
            return True
        called = {names.local_function(call.func) for call in tree.all(cst.Call) if tree.contains(item, call)}
        return depth < 3 and any(self._saves(function, depth + 1) for function in called if function is not None)

    def _files(self, call: cst.Call) -> None:
        """What copies, renames or deletes files after a save is done once: only the master has written its file."""
        tree = self.script.tree
        line = tree.statement(call)
        block = list(tree.block(line)) if line is not None else []
        for item in block:
            if item is line or item in self._alone or not tree.before(call, item):
                continue
            guards = [item.test] if isinstance(item, cst.If) else []
            guards += [outer.test for outer in tree.ancestors(item) if isinstance(outer, cst.If)]
            acts = any(tree.contains(item, found) for found in self.script.calls(*_FILES))
            if acts and not any(self._has_guard(test) for test in guards):
                self._alone.add(item)
                edit = self.edit("TC605", item, "one process is enough: the others would do it at the same time")
                edit.replace(item, self._on_master(edit))

    def _on_master(self, edit: Edit):  # type: ignore[no-untyped-def]
        def wrapped(updated: cst.BaseStatement) -> cst.If:
            lines = list(getattr(updated, "leading_lines", ()))
            if isinstance(updated, cst.If) and updated.orelse is None:
                both = cst.BooleanOperation(build.parenthesized(updated.test), cst.And(), edit.say(Idiom.IS_MASTER))
                return updated.with_changes(test=both)
            inner = updated.with_changes(leading_lines=[])
            return cst.If(edit.say(Idiom.IS_MASTER), cst.IndentedBlock([inner]), leading_lines=lines)

        return wrapped


def _conjuncts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) and not test.lpar:
        return [*_conjuncts(test.left), *_conjuncts(test.right)]
    return [test]


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


def _acts(item: cst.CSTNode) -> bool:
    """Whether a statement does something others can see: a call for its own sake, alone or under an `if`."""
    if isinstance(item, cst.SimpleStatementLine):
        return any(isinstance(s, cst.Expr) and isinstance(s.value, cst.Call) for s in item.body)
    return isinstance(item, cst.If | cst.With | cst.For)
