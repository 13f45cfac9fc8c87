"""Print and log after the step has run.

`print(loss.item())` inside a step executes what the loss needs at once; the same forward runs again when the step
executes. `xm.add_step_closure(function, args=...)` keeps the values of this iteration and calls the function after the
next execution of the graph, when they cost nothing. So a statement that does nothing but print or log moves into a
function above all loops that it is in, with everything that changes from iteration to iteration as its parameters:

    def log_step(i, loss):
        print(f"{epoch} {i} {loss.item():.3f}")

    for epoch in range(epochs):
        for i, (x, y) in enumerate(train_loader):
            ...
            if i % 100 == 0:
                xm.add_step_closure(log_step, args=(i, loss.detach()))

`epoch` is no parameter: the function has run before it changes, and looks it up when it runs, wherever it is defined.

What it prints is the same; it comes one step later. Below a loop that ends with nothing executed after the last
statement, such as one left by `break`, the graph is executed once more. Values that would have changed by then, such as
a learning rate, are taken at the call.

Only `print`, the `logging` functions, progress bars and summary writers move, and only when everything in the statement
is understood. Where the graph has been executed just before the statement, it stays: the values are there already.

Everything else that reads a value stays and is noted with its cost: running sums of `loss.item()`, lists of losses,
decisions on a loss. `loss.item()` once a step, after the step has been executed, makes the host wait; before, it makes
the device compute the forward twice.

Sources: torch_xla 2.1 core/xla_model.py add_step_closure, test/test_train_mp_mnist.py; measured with torch_xla 2.1 and
2.9: 20 steps with `loss.item()` in each execute 40 graphs, with a step closure 20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from codemods.kit import build
from codemods.kit.carried import Carried
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.logs import Log, Parameter
from codemods.kit.phrases import Idiom
from codemods.kit.reads import Read
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.scalars import first_of_data

_BEFORE = (
    "import torch\nfrom torch.utils.data import DataLoader\n\nmodel = torch.nn.Linear(4, 1).cuda()\n"
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nloader = DataLoader(dataset)\n"
    "for i, (x, y) in enumerate(loader):\n    loss = torch.nn.functional.mse_loss(model(x.cuda()), y.cuda())\n"
    "    loss.backward()\n    optimizer.step()\n    if i % 10 == 0:\n        print(i, loss.item())\n"
)
_AFTER = (
    _BEFORE.replace("DataLoader\n\n", "DataLoader\nimport torch_xla.core.xla_model as xm\n\n")
    .replace("        print(i, loss.item())\n", "        xm.add_step_closure(log_step, args=(i, loss.detach()))\n")
    .replace("for i,", "\n\ndef log_step(i, loss):\n    print(i, loss.item())\n\n\nfor i,")
)
_SOURCE = "torch_xla 2.1 core/xla_model.py add_step_closure"


class _Function:
    """A logging function while it is being made: its statements are known only when the rebuild has reached them."""

    def __init__(self, name: str, logs: list[Log], room: int, indent: str) -> None:
        self.name, self.logs, self.room, self.indent = name, logs, room, indent
        self.statements: list[cst.Expr] = []
        self.values: dict[str, cst.BaseExpression] = {}
        parameters = {parameter.name: parameter for log in logs for parameter in log.parameters}
        self.parameters: list[Parameter] = list(parameters.values())

    def taking(self, name: str) -> Callable[[cst.BaseExpression], cst.BaseExpression]:
        """Keeps an updated expression, to pass it, and leaves the parameter's name in its place."""

        def rewritten(updated: cst.BaseExpression) -> cst.BaseExpression:
            self.values.setdefault(name, updated)
            return cst.Name(name)

        return rewritten

    def taking_from(self, name: str) -> Callable[[cst.Arg], cst.Arg]:
        """The same for the value of an argument, when another codemod makes something else of the value."""

        def rewritten(updated: cst.Arg) -> cst.Arg:
            return updated.with_changes(value=self.taking(name)(updated.value))

        return rewritten

    def keep(self, updated: cst.Expr) -> None:
        """Takes a statement into the function and away from the loop."""
        self.statements.append(updated.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))

    def keeping(self, edit: Edit) -> Callable[[cst.Expr], cst.Expr]:
        """Takes the last statement, and leaves the call that hands the function over."""

        def rewritten(updated: cst.Expr) -> cst.Expr:
            self.keep(updated)
            args = [self._argument(parameter) for parameter in self.parameters]
            last = cst.Comma() if len(args) == 1 else cst.MaybeSentinel.DEFAULT
            packed = cst.Tuple([*(cst.Element(arg) for arg in args[:-1]), cst.Element(args[-1], comma=last)])
            call = cst.ensure_type(edit.say(Idiom.ADD_STEP_CLOSURE, function=self.name, args=packed), cst.Call)
            return updated.with_changes(value=build.fitted(call, self.room, self.indent))

        return rewritten

    def _argument(self, parameter: Parameter) -> cst.BaseExpression:
        value = self.values.get(parameter.name, parameter.value)
        return build.expression("{value}.detach()", value=value) if parameter.tensor else value

    def definition(self, leading: Sequence[cst.EmptyLine]) -> cst.FunctionDef:
        """The function, below these lines."""
        names = ", ".join(parameter.name for parameter in self.parameters)
        function = build.statements(f"def {self.name}({names}):\n    pass\n")[0]
        assert isinstance(function, cst.FunctionDef)
        body = cst.IndentedBlock([cst.SimpleStatementLine([statement]) for statement in self.statements])
        return function.with_changes(body=body, leading_lines=leading)


class StepClosure(Codemod):
    """Print and log after the step has run."""

    STAGE = Stage.LOGGING
    RULES = (
        Rule("TC431", "a logging statement runs as a step closure", Safety.REVIEW,
             advice="it prints one step later; check that it reads nothing that the next step changes",
             document=_SOURCE),
        Rule("TC432", "a value of the step is read before the step is executed", Safety.NOTE, Severity.WARNING,
             advice="read it after the step, less often, or in xm.add_step_closure; keep sums on the device: "
             "`total += loss.detach()`",
             document="measured with torch_xla 2.1 and 2.9: two executions a step instead of one"),
        Rule("TC433", "a value of the step is read in every iteration", Safety.NOTE, Severity.INFO,
             advice="keep sums on the device, `total += loss.detach()`, and read them once an epoch",
             document="measured with torch_xla 2.1 and 2.9: one execution a step, and a transfer"),
        Rule("TC434", "a value of the step is read now and then", Safety.NOTE, Severity.INFO,
             advice="nothing, unless it is read often",
             document="measured with torch_xla 2.1 and 2.9: 22 executions in 20 steps when read in every tenth"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE, smtc=_AFTER, xla=_AFTER),)

    def rewrite(self) -> None:
        if not self.script.loops.batch_loops:
            return
        plan = self.script.marks(scaled=self.can(Idiom.GRAD_SCALER))
        for loop, periodic in dict.fromkeys((read.region, read.periodic) for read in plan.twice):
            reads = [read for read in plan.twice if (read.region, read.periodic) == (loop, periodic)]
            rule, cost = ("TC434", "whenever it happens") if periodic else ("TC432", "in every iteration")
            more = f" and {len(reads) - 1} more" if len(reads) > 1 else ""
            what = f"{_what(reads[0])}{more} from a pending graph"
            self.note(rule, reads[0].statement, f"reads {what}: its forward runs twice, {cost}")
        for loop in dict.fromkeys(read.region for read in plan.waits):
            first = next(read for read in plan.waits if read.region is loop)
            self.note("TC433", first.statement, f"reads {_what(first)} in every iteration: the host waits")
        for one in plan.carried:
            self._carry(one)
        moved: dict[cst.CSTNode, list[_Function]] = {}
        for group in self._neighbours(plan.logs):
            self._move(group, moved)
        for loop, functions in moved.items():
            self._define(loop, functions)

    def _neighbours(self, logs: list[Log]) -> list[list[Log]]:
        """Logging statements that follow each other, lines of the same block, with no parameter meaning two things."""
        found: list[list[Log]] = []
        for log in logs:
            if found and self._follows(found[-1][-1], log) and _agree([*found[-1], log]):
                found[-1].append(log)
            else:
                found.append([log])
        return found

    def _follows(self, first: Log, second: Log) -> bool:
        tree = self.script.tree
        lines = [tree.parent.get(log.statement) for log in (first, second)]
        if any(not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1 for line in lines):
            return False
        block = list(tree.block(lines[0])) if lines[0] is not None else []
        index = next((i for i, line in enumerate(block) if line is lines[0]), None)
        return index is not None and index + 1 < len(block) and block[index + 1] is lines[1]

    def _carry(self, one: Carried) -> None:
        """`d = loss.item()` -> `d = loss.detach()`, and `.item()` where it is logged."""
        edit = self.edit("TC431", one.read.node, "stays on the device until it is logged")

        def detached(updated: cst.Call) -> cst.Call:
            assert isinstance(updated.func, cst.Attribute)
            return updated.with_changes(func=updated.func.with_changes(attr=cst.Name("detach")))

        tensor = first_of_data(self.script.roles, one.read.node)
        if tensor is None:
            edit.replace(one.read.node, detached)
        else:  # `loss.data[0]`
            value = build.expression("{tensor}.detach()", tensor=tensor)
            edit.replace(one.read.statement, lambda updated: updated.with_changes(value=value))
        for use in one.uses:
            edit.replace(use, lambda updated: build.expression("{value}.item()", value=updated))

    def _move(self, logs: list[Log], moved: dict[cst.CSTNode, list[_Function]]) -> None:
        """Neighbouring statements become one function; the first one becomes the call that hands it over."""
        asked = [(log, self.edit("TC431", log.statement, "runs after the step, as a step closure")) for log in logs]
        allowed = [(log, edit) for log, edit in asked if edit.allowed]
        if not allowed:
            return
        used = [made.name for functions in moved.values() for made in functions]
        kept = [log for log, _ in allowed]
        room = self.script.tree.room(kept[-1].statement)
        made = _Function(self._free_name(used), kept, room, self.script.module.default_indent)
        for log, edit in allowed:
            for node, parameter in log.taken.items():
                holder = self.script.tree.parent[node]
                if isinstance(holder, cst.Arg) and first_of_data(self.script.roles, node) is not None:
                    edit.replace(holder, made.taking_from(parameter))  # the node itself becomes `.item()`
                else:
                    edit.replace(node, made.taking(parameter))
            edit.replace(log.statement, made.keeping(edit) if log is made.logs[-1] else made.keep)
        moved.setdefault(self._outermost(logs[0].read.region), []).append(made)

    def _outermost(self, loop: cst.CSTNode) -> cst.CSTNode:
        """The loop of the same function that all the others around this one are in."""
        found, node = loop, self.script.tree.parent.get(loop)
        while node is not None and not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            found = node if isinstance(node, cst.For | cst.While) else found
            node = self.script.tree.parent.get(node)
        return found

    def _define(self, loop: cst.CSTNode, functions: list[_Function]) -> None:
        """Put the functions above the loop, once the statements they hold have been rewritten."""
        edit = self._again(functions[0].logs[0].statement)
        holder = self.script.tree.parent.get(loop)
        first = bool(self.script.tree.block(loop)) and self.script.tree.block(loop)[0] is loop
        apart = [cst.EmptyLine(indent=False)] * (2 if isinstance(holder, cst.Module) else 1)

        def defined(updated: Any) -> list[cst.BaseStatement]:
            lines = list(updated.leading_lines)
            blank = next((index for index, line in enumerate(lines) if line.comment is not None), len(lines))
            opens = first and not self.edits.has_before(loop)
            above = lines[:blank] if opens or blank >= len(apart) else apart
            made = [one.definition(above if one is functions[0] else apart) for one in functions]
            return [*made, updated.with_changes(leading_lines=[*apart, *lines[blank:]])]

        edit.replace(loop, defined)

    def _again(self, node: cst.CSTNode) -> Edit:
        """The edit of a change that has been reported already."""
        edit = self.edit("TC431", node, "runs after the step, as a step closure")
        self.edits.changes.pop()
        return edit

    def _free_name(self, used: list[str]) -> str:
        known = {name for scope in self.script.names.all_scopes() for name in scope.names}
        name, count = "log_step", 1
        while name in known or name in used:
            count += 1
            name = f"log_step_{count}"
        return name


def _what(read: Read) -> str:
    node = read.node
    method = isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value != "format"
    if method or isinstance(node, cst.Subscript):
        text = build.code_of(node)
        if len(text) <= 40 and "\n" not in text:
            return f"`{text}`"
    return "a tensor"


def _agree(logs: list[Log]) -> bool:
    """Whether each parameter of the statements is passed the same value by all of them."""
    known: dict[str, Parameter] = {}
    for log in logs:
        for parameter in log.parameters:
            other = known.setdefault(parameter.name, parameter)
            if other.tensor != parameter.tensor or not other.value.deep_equals(parameter.value):
                return False
    return True
