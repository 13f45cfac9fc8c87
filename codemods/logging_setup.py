"""Let the program's own set-up of its log take effect.

`import torch_xla` calls `logging.basicConfig()`, and so does the import of a library that imports it. From then on the
root logger has a handler, and `logging.basicConfig(filename=..., level=...)` of the program does nothing: no file is
written, no line below WARNING is printed, and nothing says so. `force=True` takes that handler away first. Of several
calls the first one that runs counted: a call that another one always runs ahead of had no effect and gets none.
`logger.hasHandlers()` asks the root logger too, and is always true now; `logger.handlers` is what the logger has
itself. `logging.config` puts its handlers in place of those that are there, and stays.
"""

from __future__ import annotations

import re
from functools import cached_property

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.script import Script
from codemods.kit.tree import Tree

_SET_UP = "logging.basicConfig"
_WHOLE = ("logging.config.dictConfig", "logging.config.fileConfig")
_ROOT = ("logging.root", "logging.RootLogger.root")
_EMPTIED = ("removeHandler", "clear", "pop")
_FIRST_LINES = tuple(f"logging.{level}" for level in ("debug", "info", "warning", "error", "critical", "log"))
"""They call `logging.basicConfig()` where the root logger has no handler."""
_TESTS = (cst.If, cst.IfExp, cst.While, cst.Assert)
_DOCUMENT = "torch_xla 1.13, 2.1 and 2.9 torch_xla/__init__.py; Python 3.8 logging.basicConfig"


class LoggingSetup(Codemod):
    """Let the program's own set-up of its log take effect."""

    STAGE = Stage.LOGGING
    EVERYWHERE = True
    RULES = (
        Rule("TC471", "the set-up of the log takes the place of torch_xla's", Safety.EXACT, document=_DOCUMENT),
        Rule("TC472", "of several set-ups of the log the last counts, where it was the first", Safety.NOTE,
             Severity.WARNING, advice="leave force=True to the one that shall count", document=_DOCUMENT),
        Rule("TC473", "a logger is asked for handlers of its own, not torch_xla's", Safety.REVIEW,
             advice="check that no other file has set the root logger up before", document=_DOCUMENT),
        Rule("TC480", "the root logger has a handler from the import of torch_xla", Safety.NOTE, Severity.ERROR,
             advice="leave the test away, and give logging.basicConfig force=True", document=_DOCUMENT),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import logging\n\nimport torch\n\nlogging.basicConfig(filename="train.log")\n'
            "x = torch.ones(2).cuda()\n",
            smtc='import logging\n\nimport torch\n\nlogging.basicConfig(filename="train.log", force=True)\n'
            "x = torch.ones(2).cuda()\n",
            xla='import logging\n\nimport torch\n\nlogging.basicConfig(filename="train.log", force=True)\n'
            "x = torch.ones(2).cuda()\n",
        ),
        Example(before='import logging\n\nlogging.basicConfig(filename="train.log")\n'),
    )

    @classmethod
    def suits(cls, script: Script) -> bool:
        """Also where a library runs the training: on XLA it imports torch_xla by itself."""
        return True

    def rewrite(self) -> None:
        script = self.script
        if "logging" not in script.tree.source or script.estimators or "torch_xla" in script.names.modules:
            return
        if not (script.links.accelerated or (script.uses_torch and not script.on_cpu)):
            return
        set_ups = [*script.calls(_SET_UP), *self._others()]
        for call in script.calls(_SET_UP):
            if not call.args or self._always_emptied(call):
                continue
            given = any(arg.star for arg in call.args) and re.search("""["']force["']""", script.tree.source)
            if argument(call, None, "force") is None and not given:
                self._force(call, [other for other in set_ups if other is not call])
        self._ask(set_ups)

    def _force(self, call: cst.Call, others: list[cst.Call]) -> None:
        if any(self._always_ahead(other, call) for other in (*others, *self.script.calls(*_FIRST_LINES))):
            return
        if self.script.links.logs_set_up:
            self.note("TC472", call, "torch_xla sets the log up before the files that do: none of them counts")
            return
        edit = self.edit("TC471", call, "takes the place of what the import of torch_xla set up")
        edit.replace(call, lambda updated: build.with_keyword(updated, "force", "True"))
        also = [other for other in others if self._may_be_ahead(other, call)]
        if also:
            lines = ", ".join(str(self.script.tree.line(other)) for other in also)
            self.note("TC472", call, f"without effect where line {lines} has run before: with force=True it has")
        elif self._runs_again(call):
            self.note("TC472", call, "only the first of its runs had an effect: with force=True each has")

    def _runs_again(self, call: cst.Call) -> bool:
        """Whether it stands in a loop, or in a function that is called at several places or for each logger."""
        tree, function = self.script.tree, self.script.tree.function(call)
        if tree.loop(call) is not None:
            return True
        if function is None:
            return False
        calls = [one for one in tree.all(cst.Call) if self.script.names.local_function(one.func) is function]
        given = {parameter.name.value for parameter in function.params.params}
        named = (one.args[0].value for one in self.script.calls("logging.getLogger") if one.args)
        return len(calls) > 1 or any(code_of(name) in given and tree.function(name) is function for name in named)

    # --- what else sets the root logger up --------------------------------------------------------------------------

    def _others(self) -> list[cst.Call]:
        """`logging.config.dictConfig(...)`, `logging.getLogger().addHandler(...)`."""
        added = [call for call in self.script.tree.all(cst.Call) if self._method_of_root(call, "addHandler")]
        return [*self.script.calls(*_WHOLE), *added]

    def _is_root(self, node: cst.BaseExpression, depth: int = 0) -> bool:
        if isinstance(node, cst.Call):
            named = [arg for arg in node.args if code_of(arg.value) not in ("None", '""', "''")]
            return self.script.qualified(node.func) == "logging.getLogger" and not named
        if self.script.qualified(node) in _ROOT:
            return True
        value = self.script.names.assigned(node) if depth < 3 else None
        return value is not None and self._is_root(value, depth + 1)

    def _method_of_root(self, call: cst.Call, name: str) -> bool:
        func = call.func
        return isinstance(func, cst.Attribute) and func.attr.value == name and self._is_root(func.value)

    def _always_emptied(self, node: cst.CSTNode) -> bool:
        """Whether the program has taken the handlers of the root logger away when this runs."""
        return any(self._always_ahead(self._whole(emptying), node) for emptying in self._emptyings)

    @cached_property
    def _emptyings(self) -> list[cst.CSTNode]:
        """Where the program takes the handlers of the root logger away itself."""
        tree = self.script.tree
        found: list[cst.CSTNode] = [c for c in tree.all(cst.Call) if self._method_of_root(c, "removeHandler")]
        for handlers in self._handlers_of_root():
            outer = tree.parent[handlers]
            taken = isinstance(outer, cst.Attribute) and outer.attr.value in _EMPTIED
            if taken or isinstance(outer, cst.AssignTarget) or tree.enclosing(handlers, cst.Del) is not None:
                found.append(handlers)
        return found

    def _whole(self, emptying: cst.CSTNode) -> cst.CSTNode:
        """With the loop over the handlers, and the question whether there are any."""
        tree, whole = self.script.tree, emptying
        for outer in tree.ancestors(emptying):
            asked = isinstance(outer, cst.If) and re.search(r"\b(handlers|hasHandlers)\b", code_of(outer.test))
            if isinstance(outer, cst.For | cst.While) or asked:
                whole = outer
            elif isinstance(outer, cst.BaseCompoundStatement):
                break
        return whole

    def _handlers_of_root(self) -> list[cst.Attribute]:
        asked = [node for node in self.script.tree.all(cst.Attribute) if node.attr.value == "handlers"]
        return [node for node in asked if self._is_root(node.value)]

    # --- order ------------------------------------------------------------------------------------------------------

    def _always_ahead(self, other: cst.CSTNode, call: cst.CSTNode) -> bool:
        """Whether the other has always run when this runs."""
        tree = self.script.tree
        block = tree.enclosing(other, cst.IndentedBlock, cst.SimpleStatementSuite, cst.Module)
        assert block is not None
        function = tree.function(call)
        if block is tree.module and function is not None:
            uses = self.script.names.named(function.name.value)
            return all(tree.before(other, use) for use in uses if use is not function.name)
        return tree.contains(block, call) and tree.before(other, call)

    def _may_be_ahead(self, other: cst.Call, call: cst.Call) -> bool:
        tree = self.script.tree
        if tree.function(call) is tree.function(other):
            return tree.before(other, call) and not self._apart(other, call)
        return not self._always_ahead(call, other)

    def _apart(self, one: cst.CSTNode, two: cst.CSTNode) -> bool:
        """Whether only one of both can run: they stand in different arms of an `if` or a `try`."""
        tree = self.script.tree
        for outer in tree.ancestors(one):
            arms = _arms(outer)
            if arms and tree.contains(outer, two):
                at = [next((i for i, arm in enumerate(arms) if tree.contains(arm, node)), -1) for node in (one, two)]
                return at[0] != at[1] and -1 not in at
        return False

    def _has_run(self, set_ups: list[cst.Call], node: cst.CSTNode) -> bool:
        """Whether a set-up has always run when this runs: one of them, or one in each arm of a statement."""
        wholes = [each for one in set_ups for each in (one, *self.script.tree.ancestors(one))]
        ahead = (each for each in wholes if isinstance(each, cst.Call | cst.If | cst.Try))
        return any(self._always_ahead(each, node) and self._sets_up(each, set_ups) for each in ahead)

    def _sets_up(self, node: cst.CSTNode | None, set_ups: list[cst.Call]) -> bool:
        """Whether whatever runs through this comes to a set-up."""
        if isinstance(node, cst.IndentedBlock | cst.SimpleStatementSuite):
            return any(self._sets_up(statement, set_ups) for statement in node.body)
        if isinstance(node, cst.If):
            return self._sets_up(node.body, set_ups) and self._sets_up(node.orelse, set_ups)
        if isinstance(node, cst.Try):
            tried = self._sets_up(node.body, set_ups) or self._sets_up(node.orelse, set_ups)
            return tried and all(self._sets_up(handler.body, set_ups) for handler in node.handlers)
        if isinstance(node, cst.Else | cst.With):
            return self._sets_up(node.body, set_ups)
        if not isinstance(node, cst.Call | cst.BaseSmallStatement | cst.SimpleStatementLine):
            return False
        return any(self.script.tree.contains(node, call) for call in set_ups)

    # --- tests for handlers -----------------------------------------------------------------------------------------

    def _ask(self, set_ups: list[cst.Call]) -> None:
        tree = self.script.tree
        for call in tree.all(cst.Call):
            func = call.func
            if not isinstance(func, cst.Attribute) or func.attr.value != "hasHandlers" or call.args:
                continue
            if self._for_emptying(call):
                continue
            root = self._is_root(func.value)
            if root or set_ups:
                self._say(call, set_ups)
            elif "propagate" not in tree.source:
                edit = self.edit("TC473", call, "asks for its own handlers: the root logger has one from torch_xla")
                said = "{of}.handlers" if _asks_truth(tree, call) else "bool({of}.handlers)"
                of = func.value
                edit.replace(call, lambda _, said=said, of=of: build.expression(said, of=of))
        for node in self._handlers_of_root():
            outers = [outer for outer in tree.ancestors(node) if isinstance(outer, _TESTS)]
            if any(tree.contains(outer.test, node) for outer in outers) and not self._for_emptying(node):
                self._say(node, set_ups)

    def _for_emptying(self, node: cst.CSTNode) -> bool:
        """`if root.handlers: root.handlers.clear()`, and what asks below that."""
        tree = self.script.tree
        tests = [outer for outer in tree.ancestors(node) if isinstance(outer, cst.If | cst.While)]
        asked = [outer for outer in tests if tree.contains(outer.test, node)]
        tested = any(tree.contains(outer.body, emptying) for outer in asked for emptying in self._emptyings)
        return tested or self._always_emptied(node)

    def _say(self, node: cst.BaseExpression, set_ups: list[cst.Call]) -> None:
        if not self._has_run(set_ups, node):
            asked = code_of(node)
            self.note("TC480", node, f"`{asked}` is true from the start: torch_xla gives the root logger a handler")


def _arms(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What of a statement runs only where the rest does not. What a `try` does last has not been done when it fails."""
    if isinstance(node, cst.If | cst.IfExp):
        return [arm for arm in (node.body, node.orelse) if arm is not None]
    if isinstance(node, cst.Try):
        return [node.orelse or node.body.body[-1], *node.handlers]
    return []


def _asks_truth(tree: Tree, node: cst.CSTNode) -> bool:
    """Whether only the truth of an expression is asked, so that a list serves as well as a bool."""
    outer = tree.parent[node]
    if isinstance(outer, cst.BooleanOperation):
        return _asks_truth(tree, outer)
    return isinstance(outer, cst.UnaryOperation) or (isinstance(outer, _TESTS) and outer.test is node)
