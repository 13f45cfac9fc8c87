"""What codemods ask for, and the one bottom-up rebuild that does it.

A codemod decides on the nodes of the *source* tree, where every fact is exact, and hands in a function of the *updated*
node, in which the edits inside it are already made. So `DDP(Net().cuda(gpu), device_ids=[gpu])` becomes
`Net().to(device)`: neither rewrite knows of the other. Only nodes above an edit are rebuilt; others are the source's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import libcst as cst

from codemods.kit import build
from codemods.kit.devices import Devices, without_unused
from codemods.kit.evidence import evidence_of
from codemods.kit.imports import ImportList
from codemods.kit.phrases import Idiom, Import
from codemods.kit.rules import Change, Note, Rule, Safety, Stage
from codemods.kit.script import Script
from codemods.kit.serving import serving_functions
from codemods.kit.targets import Target
from codemods.kit.tree import PLAIN, Node, child_fields, walk

Result = cst.CSTNode | Sequence[cst.CSTNode] | None
"""What an edit makes of a node: another node, several statements, or None to remove it."""
Rewrite = Callable[..., Result]
Allows = Callable[[Rule, str, int], bool]
"""Whether the user wants a rule of a codemod at a line."""


@dataclass(eq=False)
class _Asked:
    stage: Stage
    order: int
    rewrite: Rewrite
    codemod: str
    rule: str


@dataclass(eq=False)
class _Gathered:
    members: frozenset[cst.CSTNode]
    last: cst.CSTNode
    make: Callable[[list[cst.BaseStatement]], list[cst.BaseStatement]]


@dataclass(eq=False)
class _Around:
    before: list[tuple[Stage, int, list[cst.BaseStatement]]] = field(default_factory=list)
    after: list[tuple[Stage, int, list[cst.BaseStatement]]] = field(default_factory=list)


class Edits:
    """All edits and notes asked of one script, by all codemods."""

    def __init__(
        self, script: Script, target: Target, allows: Allows = lambda rule, codemod, line: True, path: str = "-"
    ) -> None:
        self.script = script
        self.path = path
        """Of the script's file, or "-"."""
        self.target = target
        self.allows = allows
        self.changes: list[Change] = []
        self.notes: list[Note] = []
        self.refused: tuple[str, str] | None = None
        """The codemod that refuses the script, and why in one line."""
        self.devices = Devices(script)
        self.imports = ImportList(script)
        self._frozen = frozenset(serving_functions(script.module))
        self.touched: set[cst.CSTNode] = set()
        """Source nodes that an edit replaces or removes, or a note speaks of."""
        self.noted: set[cst.CSTNode] = set()
        """Source nodes that a note speaks of."""
        self.settled: dict[cst.CSTNode, bool] = {}
        """Conditions of the source whose truth the migration decides."""
        self.removed: dict[cst.CSTNode, str] = {}
        """Functions, loops and other blocks that go as a whole, with the codemod that takes them away."""
        self.alone: set[cst.CSTNode] = set()
        """Statements that get a guard: one process runs them."""
        self._places: dict[Note | Change, cst.CSTNode] = {}
        self._asked: dict[cst.CSTNode, list[_Asked]] = {}
        self._around: dict[cst.CSTNode, _Around] = {}
        self._gathered: _Gathered | None = None
        self._count = 0

    def edit(
        self, codemod: str, stage: Stage, rule: Rule, node: cst.CSTNode, message: str, evidence: Iterable[str] = ()
    ) -> Edit:
        """Begin one change: everything asked through the returned value belongs to it."""
        line = self.script.tree.line(node)
        allowed = rule.safety is not Safety.NOTE and not self._is_frozen(node) and self.allows(rule, codemod, line)
        if allowed:
            reasons = tuple(evidence) or evidence_of(self.script, node)
            change = Change(rule.id, line, rule.safety, message, codemod, reasons)
            self.changes.append(change)
            self._places.setdefault(change, node)
        self.touched.add(node)
        return Edit(self, codemod, stage, rule, allowed)

    def note(self, codemod: str, rule: Rule, node: cst.CSTNode, message: str, evidence: Iterable[str] = ()) -> None:
        """Say something about a line of the source."""
        line = self.script.tree.line(node)
        self.touched.add(node)
        self.noted.add(node)
        if self.allows(rule, codemod, line) and not self._is_frozen(node):
            note = Note(rule.id, line, rule.severity, message, rule.advice, rule.document, codemod, tuple(evidence))
            if note not in self.notes:
                self.notes.append(note)
                self._places[note] = node

    def refuse(self, codemod: str, rule: Rule, node: cst.CSTNode, reason: str) -> None:
        """Leave the whole script as it is: only this codemod's notes are kept."""
        if self.allows(rule, codemod, self.script.tree.line(node)):
            self.refused = (codemod, reason)

    # --- asked by Edit ------------------------------------------------------------------------------------------

    def _is_frozen(self, node: cst.CSTNode) -> bool:
        """Whether a node is inside of a function that an endpoint calls, which stays as it is."""
        return bool(self._frozen) and any(outer in self._frozen for outer in self.script.tree.ancestors(node))

    def ask(self, node: cst.CSTNode, asked: _Asked) -> None:
        if self._is_frozen(node):
            return
        self._count += 1
        asked.order = self._count
        self.touched.add(node)
        self._asked.setdefault(node, []).append(asked)

    def ask_around(self, node: cst.CSTNode, where: str, stage: Stage, new: list[cst.BaseStatement]) -> None:
        if self._is_frozen(node):
            return
        self._count += 1
        around = self._around.setdefault(self._anchor(node), _Around())
        getattr(around, where).append((stage, self._count, new))

    def has_before(self, statement: cst.CSTNode) -> bool:
        """Whether statements are put before one, as far as has been asked."""
        around = self._around.get(self._anchor(statement))
        return around is not None and bool(around.before)

    def has_after(self, statement: cst.CSTNode) -> bool:
        """Whether statements are put after one, as far as has been asked."""
        around = self._around.get(self._anchor(statement))
        return around is not None and bool(around.after)

    def ask_gather(self, gathered: _Gathered) -> None:
        self._gathered = gathered

    def _anchor(self, node: cst.CSTNode) -> cst.CSTNode:
        """The statement that can have neighbours: a small statement, or a compound one that is a member of a block."""
        tree = self.script.tree
        found: cst.CSTNode | None = node
        while found is not None:
            parent = tree.parent.get(found)
            if isinstance(found, cst.SimpleStatementLine):
                return found.body[0]
            if isinstance(found, cst.BaseSmallStatement):
                return found
            if isinstance(found, cst.BaseCompoundStatement) and isinstance(parent, cst.IndentedBlock | cst.Module):
                return found
            found = parent
        raise ValueError("only code inside a module has a place before or after it")

    def let_go(self) -> None:
        """Give all up, for `Script.let_go`'s reason: the rewrites that were asked for hold their codemods, and these
        the edits."""
        self.__dict__.clear()

    # --- the rebuild --------------------------------------------------------------------------------------------

    def apply(self) -> cst.Module:
        """The module with every edit made and its imports put in order."""
        self.notes = [note for note in self.notes if not self._is_moot(note)]
        self.changes = [change for change in self.changes if not self._is_moot(change)]
        self._define_devices()
        if not self._asked and not self._around and self._gathered is None:
            return self.script.tree.module
        dirty: set[cst.CSTNode] = set()
        for node in (*self._asked, *self._around, *(self._gathered.members if self._gathered else ())):
            dirty.add(node)
            for found in self.script.tree.ancestors(node):
                if found in dirty:
                    break
                dirty.add(found)
        self._dirty = dirty
        self._emptied: set[cst.CSTNode] = set()
        module = self._rebuild(self.script.tree.module)
        assert isinstance(module, cst.Module)
        module = self.imports.finish(module)
        self.changes = [change for change in self.changes if not self._is_gone(change, module)]
        return module

    def _is_gone(self, change: Change, module: cst.Module) -> bool:
        """Whether an edit was made in a stand-in for what is imported above it, and went with that import."""
        around = list(self.script.tree.ancestors(self._places[change]))
        handler = next((at for at, one in enumerate(around) if isinstance(one, cst.ExceptHandler)), 0)
        defined = [one for one in around[:handler] if isinstance(one, cst.ClassDef | cst.FunctionDef)]
        return bool(defined) and defined[-1].name.value not in {
            one.name.value for one in walk(module) if isinstance(one, cst.ClassDef | cst.FunctionDef)
        }

    def _is_moot(self, said: Note | Change) -> bool:
        """Whether a note or an edit speaks of something in a block that another codemod takes away."""
        around = self.script.tree.ancestors(self._places[said]) if self.removed else ()
        return any(self.removed.get(outer, said.codemod) != said.codemod for outer in around)

    def _define_devices(self) -> None:
        phrase = self.target.phrase(Idiom.DEVICE)
        self.imports.request(*phrase.imports)
        spelled = self.imports.rename(phrase.code, phrase.imports)
        for holder, place, code in self.devices.definitions(spelled):
            made = build.statements(code)
            self.ask_around(place, "before", Stage.PROCESSES, made)
            assert isinstance(made[0], cst.SimpleStatementLine)
            prune = partial(without_unused, definition=made[0].body[0])
            self.ask(holder, _Asked(Stage.TIDY, 0, prune, "", ""))
        for statement in self.devices.replaced:
            if statement in self._asked or getattr(statement, "value", None) in self._asked:
                self.ask(statement, _Asked(min(Stage), 0, lambda updated: None, "", ""))

    def _rebuild(self, node: cst.CSTNode) -> Result:
        if node not in self._dirty:
            return node
        changes: dict[str, object] = {}
        for name in child_fields(type(node)):
            value = getattr(node, name)
            if type(value) in PLAIN:
                continue
            if type(value) not in (tuple, list):
                if value in self._dirty:
                    changes[name] = self._required(self._rebuild(value), value)
            elif not self._dirty.isdisjoint(value):
                changes[name], comments = self._rebuild_all(node, value)
                if comments:
                    changes["footer"] = [*comments, *getattr(node, "footer", ())]
        if type(node) is cst.SimpleStatementSuite:
            return self._rebuild_suite(node, changes)
        if type(node) is cst.With and changes.get("items") == []:
            return unwrapped(node.with_changes(body=changes.get("body", node.body)))
        if type(node) in (cst.Import, cst.ImportFrom) and changes.get("names") == []:
            return None
        updated: cst.CSTNode = node.with_changes(**changes) if changes else node
        if type(updated) is cst.FormattedString:
            updated = build.with_other_quotes(updated)
        if type(updated) is cst.SimpleStatementLine and not updated.body:
            return None
        if type(updated) is cst.IndentedBlock and not updated.body:
            comments = [line for line in updated.footer if line.comment is not None]
            pass_ = cst.SimpleStatementLine([cst.Pass()], leading_lines=comments)
            updated = updated.with_changes(body=[pass_], footer=updated.footer[len(comments) :])
            self._emptied.add(updated)
        if type(updated) is cst.Else and updated.body in self._emptied:
            return None
        if type(updated) is cst.Try and updated.body in self._emptied and not (updated.orelse or updated.finalbody):
            return None  # nothing is left that could raise
        if type(updated) is cst.For and updated.orelse is None and is_pure(updated.iter):
            if updated.body in self._emptied or all(map(_only_goes_on, updated.body.body)):
                return None
        if (
            type(updated) is cst.If
            and updated.body in self._emptied
            and updated.orelse is None
            and is_pure(updated.test)
        ):
            return None
        if type(updated) is cst.If and type(updated.orelse) is cst.Else and self._is_bare(updated.body):
            updated = _other_way_round(updated, updated.orelse)
        return self._edited(node, updated)

    def _is_bare(self, block: cst.BaseSuite) -> bool:
        """Whether nothing is left of a block, and no comment either."""
        return block in self._emptied and not (
            isinstance(block, cst.IndentedBlock) and any(line.comment for line in (*block.footer, *_leading(block)))
        )

    def _edited(self, node: cst.CSTNode, updated: cst.CSTNode) -> Result:
        result: Result = updated
        for asked in sorted(self._asked.get(node, ()), key=lambda asked: (asked.stage, asked.order)):
            if not isinstance(result, cst.CSTNode):
                break
            if result is not updated and type(result) is not type(node):
                break  # another rewrite made something else of it
            result = asked.rewrite(result)
        return _in_parentheses(node, result) if result is not updated else result

    def _required(self, result: Result, original: cst.CSTNode) -> cst.CSTNode | None:
        """A single child: a dissolved `elif`, or a removed optional part, becomes what may stand there."""
        if isinstance(original, cst.If) and isinstance(result, cst.SimpleStatementLine):
            result = [result]
        if isinstance(result, cst.CSTNode) or result is None:
            return result
        items = list(result)
        if isinstance(original, cst.If):  # an elif that became statements
            return cst.Else(cst.IndentedBlock(_statements(items))) if items else None
        if len(items) == 1:
            return items[0]
        raise ValueError(f"{type(original).__name__} can't become {len(items)} nodes here")

    def _rebuild_all(
        self, holder: cst.CSTNode, items: Sequence[cst.CSTNode]
    ) -> tuple[list[cst.CSTNode], list[cst.EmptyLine]]:
        found: list[cst.CSTNode] = []
        pending: list[cst.EmptyLine] = []  # comments of removed statements, kept for the next one
        in_block = isinstance(holder, cst.IndentedBlock | cst.Module)
        gathered = self._gathered if isinstance(holder, cst.Module) else None
        collected: list[cst.BaseStatement] = []
        for item in items:
            if in_block and isinstance(item, cst.SimpleStatementLine) and self._splits(item):
                new, below = self._split(item), []
            else:
                result = self._rebuild(item)
                new = [result] if isinstance(result, cst.CSTNode) else list(result or ())
                below = list(result.footer) if isinstance(result, Dissolved) else []
            if in_block:
                new = self._with_neighbours(item, new)
                if not new:
                    lines = getattr(item, "leading_lines", ())
                    pending += [line for line in lines if line.comment is not None] if pending else lines
                else:
                    if pending:
                        new = [_led_by(new[0], _joined(pending, new[0])), *new[1:]]
                        pending = []
                    if not found and item is not items[0] and isinstance(holder, cst.IndentedBlock):
                        new = [_without_blank_lines(new[0]), *new[1:]]  # what stood above it in the block is gone
            if gathered is not None and item in gathered.members:
                collected += [each for each in new if isinstance(each, cst.BaseStatement)]
                new = list(gathered.make(collected)) if item is gathered.last else []
            if not new and found and isinstance(item, cst.Param) and item is not items[-1]:
                found[-1] = build.ending_line_like(item, found[-1])
            pending += below
            found += new
        if isinstance(holder, cst.With) and found:
            found[-1] = found[-1].with_changes(comma=holder.items[-1].comma)
        if not any(line.comment for line in pending):
            pending = []
        if found and len(found) < len(items) and hasattr(items[-1], "comma") and not isinstance(holder, cst.Call):
            found[-1] = found[-1].with_changes(comma=items[-1].comma)
        if isinstance(holder, cst.Call) and found:
            found = list(build.with_arguments(holder, [arg for arg in found if isinstance(arg, cst.Arg)]).args)
        return found, pending

    def _splits(self, line: cst.SimpleStatementLine) -> bool:
        return any(small in self._around for small in line.body)

    def _split(self, line: cst.SimpleStatementLine) -> list[cst.CSTNode]:
        """A line of small statements, some of which get neighbours: one line each where that is needed."""
        found: list[cst.CSTNode] = []
        leading = list(line.leading_lines)
        for index, small in enumerate(line.body):
            around = self._around.get(small, _Around())
            before = _ordered(around.before)
            result = self._rebuild(small)
            own = [result] if isinstance(result, cst.CSTNode) else list(result or ())
            last = index == len(line.body) - 1
            lines: list[cst.BaseStatement] = []
            for part in own:
                if isinstance(part, cst.BaseSmallStatement):
                    part = part.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
                    trailing = line.trailing_whitespace if last else cst.TrailingWhitespace()
                    lines.append(cst.SimpleStatementLine([part], trailing_whitespace=trailing))
                elif isinstance(part, cst.BaseStatement):
                    lines.append(part)
            if before and not getattr(before[0], "leading_lines", ()):
                blank, comments = _blank_first(leading)
                before[0] = _led_by(before[0], blank)
                leading = comments
            found += before
            if lines:
                lines[0] = _led_by(lines[0], leading)
                leading = []
            found += lines
            found += _ordered(around.after)
        if leading and found:
            found[0] = _led_by(found[0], leading)
        return found

    def _with_neighbours(self, item: cst.CSTNode, new: list[cst.CSTNode]) -> list[cst.CSTNode]:
        around = self._around.get(item)
        if around is None:
            return new
        before, after = _ordered(around.before), _ordered(around.after)
        if before and new and not getattr(before[0], "leading_lines", ()):
            blank, comments = _blank_first(list(getattr(new[0], "leading_lines", ())))
            if isinstance(new[0], cst.FunctionDef | cst.ClassDef):
                comments = [*blank, *comments]  # a definition stays apart from what is put above it
                blank, _ = _blank_first(list(getattr(item, "leading_lines", ())))
            new = [new[0].with_changes(leading_lines=comments), *new[1:]]
            before[0] = _led_by(before[0], blank)
        return [*before, *new, *after]

    def _rebuild_suite(self, suite: cst.SimpleStatementSuite, changes: dict[str, object]) -> Result:
        """`if x: step()` whose statement gets neighbours or becomes several: a block of its own."""
        line = cst.SimpleStatementLine(list(suite.body))
        if any(small in self._around for small in suite.body):
            parts = self._split(line)
        else:
            body = list(changes.get("body", suite.body) or ())  # type: ignore[call-overload]
            if all(isinstance(item, cst.BaseSmallStatement) for item in body):
                new = suite.with_changes(body=body or [cst.Pass()])
                if not body:
                    self._emptied.add(new)
                return new
            parts = [
                cst.SimpleStatementLine([item]) if isinstance(item, cst.BaseSmallStatement) else item for item in body
            ]
        header = suite.trailing_whitespace
        return cst.IndentedBlock(_statements(parts) or [cst.SimpleStatementLine([cst.Pass()])], header=header)


class Edit:
    """One change while it is being made. When the user has ruled it out, nothing of it is done."""

    def __init__(self, edits: Edits, codemod: str, stage: Stage, rule: Rule, allowed: bool) -> None:
        self._edits, self._codemod, self._stage, self._rule = edits, codemod, stage, rule
        self.allowed = allowed

    def replace(self, node: cst.CSTNode, new: cst.CSTNode | Rewrite, stage: Stage | None = None) -> None:
        """Put `new` in the node's place: a node, or a function from the updated node to a node, to a list of
        statements, or to None (remove). `stage`: after the edits of earlier stages, where it must not be the
        codemod's own."""
        if self.allowed:
            rewrite = (lambda updated: new) if isinstance(new, cst.CSTNode) else new
            self._edits.ask(node, _Asked(stage or self._stage, 0, rewrite, self._codemod, self._rule.id))

    def remove(self, node: cst.CSTNode) -> None:
        """Take away the smallest statement that holds the node (or the argument, decorator or element itself).

        Comments on lines of their own stay; a block left empty is dissolved or gets `pass`.
        """
        if self.allowed and isinstance(node, cst.BaseCompoundStatement):
            self._edits.removed[node] = self._codemod
        if isinstance(node, cst.Arg | cst.Element | cst.Decorator | cst.ImportAlias | cst.BaseStatement):
            self.replace(node, lambda updated: None)
            return
        statement = self._edits.script.tree.small_statement(node)
        self.replace(statement if statement is not None else node, lambda updated: None)

    def settle(self, known: Mapping[cst.CSTNode, bool]) -> dict[cst.CSTNode, bool]:
        """Decide conditions: what is known of them now, with what other edits have decided."""
        if self.allowed:
            self._edits.settled.update(known)
        return {**self._edits.settled, **known}

    def before(self, node: cst.CSTNode, new: str | Sequence[cst.BaseStatement], stage: Stage | None = None) -> None:
        """Put statements before the statement that holds the node; `stage`: below those of earlier stages, where it
        must not be the codemod's own."""
        self._beside(node, "before", new, stage)

    def after(self, node: cst.CSTNode, new: str | Sequence[cst.BaseStatement], stage: Stage | None = None) -> None:
        """Put statements after the statement that holds the node; `stage` as in `before`."""
        self._beside(node, "after", new, stage)

    def _beside(
        self, node: cst.CSTNode, where: str, new: str | Sequence[cst.BaseStatement], stage: Stage | None
    ) -> None:
        if self.allowed:
            made = build.statements(new) if isinstance(new, str) else list(new)
            self._edits.ask_around(node, where, stage or self._stage, made)

    def gather(
        self, members: Sequence[cst.BaseStatement], make: Callable[[list[cst.BaseStatement]], list[cst.BaseStatement]]
    ) -> None:
        """Take top-level statements out, edits made, and put what `make` makes of them where the last was."""
        if self.allowed:
            self._edits.ask_gather(_Gathered(frozenset(members), members[-1], make))

    def need(self, *imports: Import) -> None:
        """Import these, unless the script has them already or nothing uses them in the end."""
        if self.allowed:
            self._edits.imports.request(*imports)

    def say(self, idiom: Idiom, **holes: build.Hole) -> cst.BaseExpression:
        """The target's expression for an idiom; its imports are asked for."""
        return build.fill(
            build.parsed(self._code(idiom, holes)), {k: v for k, v in holes.items() if not isinstance(v, str)}
        )

    def say_statements(self, idiom: Idiom, **holes: build.Hole) -> list[cst.BaseStatement]:
        """The target's statements for an idiom; its imports are asked for."""
        nodes = {k: v for k, v in holes.items() if not isinstance(v, str)}
        return [build.fill(line, nodes) for line in build.statements(self._code(idiom, holes))]

    def say_expressions(self, idiom: Idiom, **holes: build.Hole) -> list[cst.BaseExpression]:
        """The target's statements for an idiom, all of them calls, each as an expression."""
        smalls = [small for line in self.say_statements(idiom, **holes) for small in getattr(line, "body", ())]
        return [small.value for small in smalls if isinstance(small, cst.Expr)]

    def instead(self, call: cst.Call, idiom: Idiom, **holes: build.Hole) -> None:
        """Put the target's statements for an idiom in the place of a call that is a statement of its own."""
        first, *rest = self.say_expressions(idiom, **holes)
        self.replace(call, first)
        self.after(call, [cst.SimpleStatementLine([cst.Expr(each)]) for each in rest])

    def _code(self, idiom: Idiom, holes: dict[str, build.Hole]) -> str:
        phrase = self._edits.target.phrase(idiom)
        self.need(*phrase.imports)
        values = {k: v if isinstance(v, str) else f"__hole_{k}__" for k, v in holes.items()}
        return replace(phrase, code=self._edits.imports.rename(phrase.code, phrase.imports)).fill(**values)

    def device(self, node: cst.CSTNode) -> cst.BaseExpression:
        """The XLA device as the code around `node` can name it; defined there when the script has no such name."""
        if not self.allowed:
            return cst.Name("device")
        return build.parsed(self._edits.devices.at(node))


class Dissolved(list[cst.BaseStatement]):
    """The statements of a dissolved block, with the comments that stood below its last one."""

    footer: Sequence[cst.EmptyLine] = ()


def unwrapped(
    compound: cst.With | cst.If | cst.Else | cst.For | cst.Try | cst.ExceptHandler,
) -> list[cst.BaseStatement]:
    """The statements of a compound statement's body, to stand in its place; comments of its head are kept."""
    body = compound.body
    if isinstance(body, cst.IndentedBlock):
        found = [item for item in body.body if isinstance(item, cst.BaseStatement)]
        extra = list(body.footer)
        header = body.header
    else:
        found = [cst.SimpleStatementLine([small]) for small in body.body if isinstance(small, cst.BaseSmallStatement)]
        extra, header = [], None
    if len(found) == 1 and isinstance(found[0], cst.SimpleStatementLine) and _is_pass(found[0]):
        return []  # the block had been emptied
    leading = list(compound.leading_lines)
    if isinstance(header, cst.TrailingWhitespace) and header.comment is not None:
        leading.append(cst.EmptyLine(comment=header.comment))
    if found:
        found[0] = _led_by(found[0], leading)
    dissolved = Dissolved(found)
    dissolved.footer = [line for line in extra if line.comment is not None]
    return dissolved


def _only_goes_on(statement: cst.CSTNode) -> bool:
    """`continue`, or an `if` around nothing but that."""
    if isinstance(statement, cst.If):
        return statement.orelse is None and is_pure(statement.test) and all(map(_only_goes_on, statement.body.body))
    return isinstance(statement, cst.SimpleStatementLine) and all(isinstance(s, cst.Continue) for s in statement.body)


def _in_parentheses(node: cst.CSTNode, result: Result) -> Result:
    """What an edit made of an expression in parentheses: in the same ones where it goes over several lines."""
    if not isinstance(node, cst.BaseExpression) or not node.lpar or not isinstance(result, cst.BaseExpression):
        return result
    return (
        result
        if result.lpar or "\n" not in build.code_of(result)
        else result.with_changes(lpar=node.lpar, rpar=node.rpar)
    )


def _is_pass(line: cst.SimpleStatementLine) -> bool:
    return len(line.body) == 1 and isinstance(line.body[0], cst.Pass)


def _statements(nodes: Iterable[cst.CSTNode]) -> list[cst.BaseStatement]:
    return [node for node in nodes if isinstance(node, cst.BaseStatement)]


def _led_by(node: Node, lines: Sequence[cst.EmptyLine]) -> Node:
    if not lines or not hasattr(node, "leading_lines"):
        return node
    return node.with_changes(leading_lines=[*lines, *node.leading_lines])


def _blank_first(lines: list[cst.EmptyLine]) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    count = 0
    while count < len(lines) and lines[count].comment is None:
        count += 1
    return lines[:count], lines[count:]


def _without_blank_lines(node: cst.CSTNode) -> cst.CSTNode:
    lines = list(getattr(node, "leading_lines", ()))
    kept = lines
    while kept and kept[0].comment is None:
        kept = kept[1:]
    return node.with_changes(leading_lines=kept) if len(kept) < len(lines) else node


def _leading(block: cst.IndentedBlock) -> Sequence[cst.EmptyLine]:
    first = block.body[0]
    return first.leading_lines if isinstance(first, cst.SimpleStatementLine) else ()


def _other_way_round(updated: cst.If, other: cst.Else) -> cst.If:
    """`if not x: ...` for what became `if x: pass`, `else: ...`."""
    test = updated.test
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        opposite = test.expression
    else:
        opposite = cst.UnaryOperation(cst.Not(), build.parenthesized(test))
    if isinstance(updated.whitespace_before_test, cst.SimpleWhitespace) and not updated.whitespace_before_test.value:
        return updated
    return updated.with_changes(test=opposite, body=other.body, orelse=None)


def _joined(removed: list[cst.EmptyLine], node: cst.CSTNode) -> list[cst.EmptyLine]:
    """The lines above removed statements, for above the next one: comments stay where they stood, with the blank line
    above them; without comments, blank lines are not doubled."""
    following = getattr(node, "leading_lines", ())
    commented = any(line.comment is not None for line in removed)
    return [] if following and following[0].comment is None and not commented else removed


def _ordered(asked: list[tuple[Stage, int, list[cst.BaseStatement]]]) -> list[cst.BaseStatement]:
    return [line for _, _, lines in sorted(asked, key=lambda item: item[:2]) for line in lines]


_QUERIES = frozenset((
    "values", "device", "items", "keys", "parameters", "named_parameters", "modules", "named_modules", "get", "getenv",
    "lower", "startswith", "world_size", "xrt_world_size", "global_ordinal", "local_ordinal",
))  # fmt: skip
_TELLING = {"hasattr", "isinstance", "len", "int", "str", "bool", "range", "enumerate", "zip"}


def is_pure(test: cst.BaseExpression) -> bool:
    """Whether a condition can go with its empty body: it binds nothing and calls nothing but queries."""
    return not any(
        isinstance(node, cst.NamedExpr | cst.Await) or (isinstance(node, cst.Call) and not _asks(node.func))
        for node in walk(test)
    )


def _asks(func: cst.BaseExpression) -> bool:
    if isinstance(func, cst.Attribute):
        return func.attr.value in _QUERIES or func.attr.value.startswith(("is_", "get_", "device_count"))
    return isinstance(func, cst.Name) and (func.value in _TELLING or func.value.startswith("is_"))
