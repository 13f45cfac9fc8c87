"""Take out streams, events and graphs.

XLA orders the work of a step itself: it has no streams to be told apart. `with torch.cuda.stream(s):` leaves its body,
`wait_stream` and `record_stream` go, and a stream goes with its last use, as do events that only order streams;
`stream.synchronize()` executes the graph and waits for it. What prefetches batches on a stream of its own still works,
one batch ahead; on XLA the device loader does the prefetching.

Events that measure time become `time.perf_counter()` after an execution of the graph; without that execution they would
measure how long it takes to *record* the work. `elapsed_time` counts milliseconds, and so does what replaces it:

    start.record()                  ->  torch_xla.sync(wait=True); start = time.perf_counter()
    start.elapsed_time(end)         ->  (end - start) * 1000

A CUDA graph cannot be captured from XLA work. There is no need to: XLA compiles and replays the whole step.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.build import code_of, expression, parenthesized
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.fold import fold
from codemods.kit.names import Binding, dotted
from codemods.kit.phrases import Idiom, Import
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_STREAMS = ("torch.cuda.Stream", "torch.cuda.current_stream", "torch.cuda.default_stream", "torch.cuda.ExternalStream",
            "torch.cuda.streams.Stream", "torch.accelerator.current_stream")  # fmt: skip
_WITH_STREAM = ("torch.cuda.stream", "torch.cuda.StreamContext")
_EVENTS = ("torch.cuda.Event", "torch.cuda.streams.Event")
_GRAPHS = ("torch.cuda.CUDAGraph", "torch.cuda.graph", "torch.cuda.make_graphed_callables",
           "torch.cuda.graph_pool_handle", "torch.cuda.graphs")  # fmt: skip
_ON_STREAMS = frozenset(("wait_stream", "wait_event", "record_event", "record_stream", "synchronize"))
_TIME = Import("time")


class CudaStreams(Codemod):
    """Take out streams, events and graphs."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC151", "streams go", Safety.EXACT, document="torch_xla 2.1 API_GUIDE.md: XLA tensors are lazy"),
        Rule("TC152", "a stream is waited for by executing the graph", Safety.EXACT,
             document="torch_xla 1.13 core/xla_model.py wait_device_ops"),
        Rule("TC153", "events that measure time become time.perf_counter()", Safety.REVIEW,
             advice="measuring executes the graph at both ends: measure whole steps only"),
        Rule("TC154", "a stream or an event that is used in a way of its own", Safety.NOTE, Severity.ERROR,
             advice="take it out: it needs CUDA, and XLA orders the work itself"),
        Rule("TC155", "a CUDA graph", Safety.NOTE, Severity.ERROR,
             advice="run the captured function instead of replaying the graph: XLA compiles the whole step",
             document="torch_xla 2.1 API_GUIDE.md: XLA tensors are lazy"),
        Rule("TC156", "no stream is ever being captured", Safety.EXACT),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\nside = torch.cuda.Stream()\nwith torch.cuda.stream(side):\n    x = load()\n"
            "torch.cuda.current_stream().wait_stream(side)\nx.record_stream(torch.cuda.current_stream())\n",
            smtc="import torch\n\nx = load()\n",
            xla="import torch\n\nx = load()\n",
        ),
        Example(
            before="import torch\n\nstart = torch.cuda.Event(enable_timing=True)\n"
            "end = torch.cuda.Event(enable_timing=True)\nstart.record()\nrun()\nend.record()\n"
            "print(start.elapsed_time(end))\n",
            smtc="import time\nimport torch\nimport torch_xla.core.xla_model as xm\n\nxm.mark_step()\n"
            "xm.wait_device_ops()\nstart = time.perf_counter()\nrun()\nxm.mark_step()\nxm.wait_device_ops()\n"
            "end = time.perf_counter()\nprint((end - start) * 1000)\n",
            xla="import time\nimport torch\nimport torch_xla\n\ntorch_xla.sync(wait=True)\n"
            "start = time.perf_counter()\nrun()\ntorch_xla.sync(wait=True)\nend = time.perf_counter()\n"
            "print((end - start) * 1000)\n",
        ),
        Example(before="import threading\n\nready = threading.Event()\nready.wait()\n"),
    )

    def rewrite(self) -> None:
        names = self.script.names
        if not any(True for _ in names.uses("torch.cuda")) and not self.script.calls(*_STREAMS):
            return
        self._gone: set[cst.CSTNode] = set()
        self._choices()
        for call in self.script.calls(*_WITH_STREAM):
            self._dissolve(call)
        for call in self.script.calls("torch.cuda.set_stream"):
            self._choose(call)
        for call in self.script.tree.all(cst.Call):
            self._on_stream(call)
        self._orderings()
        made = self.script.calls(*_STREAMS)
        while left := [call for call in made if not self._takes_out(call)]:
            if len(left) == len(made):
                break
            made = left  # a stream that is gone may have been the last use of another one
        for call in left:
            self.note("TC154", call, f"{code_of(call)} needs CUDA")
        self._events()
        for name in _GRAPHS:
            for _, node in names.uses(name):
                self.note("TC155", node, f"{code_of(node)} captures CUDA kernels, of which an XLA step has none")
        for call in self.script.calls("torch.cuda.is_current_stream_capturing"):
            edit = self.edit("TC156", call, "no stream is being captured")
            fold(edit, self.script.tree, {call: False})

    # --- streams ----------------------------------------------------------------------------------------------------

    def _choices(self) -> None:
        """`if self.is_cuda:` makes a stream, `else:` binds its names to nothing: the script knows how to do without."""
        tree = self.script.tree
        for item in tree.all(cst.If):
            other = item.orelse
            while isinstance(other, cst.If):
                other = other.orelse
            bound = self._streams_bound(item)
            if not bound or isinstance(tree.parent.get(item), cst.If) or not isinstance(other, cst.Else):
                continue
            others = [assign for assign in _assigns(other.body) if not self._is_stream(assign.value)]
            if bound <= {dotted(target.target) for assign in others for target in assign.targets}:
                edit = self.edit("TC151", item.test, "an XLA device has no streams")
                fold(edit, tree, {item.test: False})
                self._gone.add(item.body)

    def _streams_bound(self, item: cst.If) -> set[str | None]:
        """The names that a branch binds to streams and to what enters them, when it does nothing else."""
        assigns = _assigns(item.body)
        streams = [self.script.qualified(call.func) in _STREAMS for call in _values(assigns)]
        entered = [
            self.script.qualified(call.func) == "functools.partial"
            and bool(call.args)
            and self.script.qualified(call.args[0].value) in _WITH_STREAM
            for call in _values(assigns)
        ]
        known = [made or enters for made, enters in zip(streams, entered, strict=True)]
        if not any(streams) or not all(known) or not len(known) == len(assigns) == len(item.body.body):
            return set()
        return {dotted(target.target) for assign in assigns for target in assign.targets}

    def _dissolve(self, call: cst.Call) -> None:
        if self._goes(call):
            return
        item = self.script.tree.parent.get(call)
        if isinstance(item, cst.WithItem) and item.asname is None:
            edit = self.edit("TC151", call, "an XLA device has no streams")
            edit.replace(item, lambda updated: None)
            self._gone.add(call)
        else:
            self.note("TC154", call, "a stream is chosen where CUDA is needed")

    def _choose(self, call: cst.Call) -> None:
        if isinstance(self.script.tree.parent.get(call), cst.Expr):
            self._gone.add(call)
            self.edit("TC151", call, "an XLA device has no streams").remove(call)
        else:
            self.note("TC154", call, "a stream is chosen where CUDA is needed")

    def _on_stream(self, call: cst.Call) -> None:
        """`a.wait_stream(b)`, `tensor.record_stream(s)`, `s.synchronize()` as statements."""
        func, statement = call.func, self.script.tree.parent.get(call)
        if not isinstance(func, cst.Attribute) or func.attr.value not in _ON_STREAMS:
            return
        if not isinstance(statement, cst.Expr) or self.script.qualified(func) is not None:
            return
        first = call.args[0].value if call.args else None
        if func.attr.value == "record_event" and self._is_timed(first):
            return
        if self._is_stream(func.value) or (first is not None and self._is_stream(first)):
            self._gone.add(call)
            if func.attr.value == "synchronize":
                edit = self.edit("TC152", call, "executes the pending graph and waits for it")
                edit.instead(call, Idiom.SYNCHRONIZE)
            else:
                self.edit("TC151", call, "an XLA device has no streams").remove(call)

    def _is_timed(self, event: cst.BaseExpression | None) -> bool:
        """Whether an event is asked for the time to or from another one: then it must stay recorded."""
        asked = [a for a in self.script.tree.all(cst.Attribute) if a.attr.value == "elapsed_time"]
        calls = [self.script.tree.parent.get(attribute) for attribute in asked]
        ends = [arg.value for call in calls if isinstance(call, cst.Call) for arg in call.args[:1]]
        return event is not None and dotted(event) in {dotted(each) for each in [*(a.value for a in asked), *ends]}

    def _is_stream(self, node: cst.BaseExpression | None) -> bool:
        """Whether an expression makes a stream, or is a name that one is bound to."""
        waiting, seen = [node], set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue  # `stream = stream if stream else torch.cuda.Stream()`
            seen.add(node)
            if isinstance(node, cst.Call) and self.script.qualified(node.func) in _STREAMS:
                return True
            if isinstance(node, cst.IfExp):
                waiting += [node.body, node.orelse]
            elif isinstance(node, cst.Name | cst.Attribute):
                waiting += [b.value for b in self._bindings(node) if b.kind == "assign" and not b.path]
        return False

    def _bindings(self, node: cst.BaseExpression) -> list[Binding]:
        return self.script.names.bindings(node)

    def _takes_out(self, call: cst.Call) -> bool:
        """A stream goes with its definition, when all that was done with it goes."""
        tree = self.script.tree
        if self._goes(call):
            return True
        assign = tree.small_statement(call)
        whole = assign.value if isinstance(assign, cst.Assign) else None
        if isinstance(assign, cst.Assign) and len(assign.targets) == 1 and self._is_stream(whole):
            target = assign.targets[0].target
            if dotted(target) and all(self._goes(use) for use in self._uses(target)):
                self.edit("TC151", call, "an XLA device has no streams").remove(assign)
                self._gone.add(assign)
                return True
        return False

    def _goes(self, node: cst.CSTNode) -> bool:
        """Whether a node is part of something that has been taken out."""
        return node in self._gone or any(found in self._gone for found in self.script.tree.ancestors(node))

    def _uses(self, target: cst.BaseExpression) -> list[cst.BaseExpression]:
        """Where a name or attribute is read: everything spelled so that has the same bindings."""
        tree, chain = self.script.tree, dotted(target)
        nodes = tree.all(cst.Name) if isinstance(target, cst.Name) else tree.all(cst.Attribute)
        bindings = self._bindings(target)
        return [
            node
            for node in nodes
            if dotted(node) == chain
            and not isinstance(tree.parent.get(node), cst.AssignTarget)
            and not self._is_element(node)
            and (self._bindings(node) == bindings)
        ]

    def _is_element(self, node: cst.CSTNode) -> bool:
        """In the targets of `start, end = ...`."""
        element = self.script.tree.parent.get(node)
        literal = self.script.tree.parent.get(element) if isinstance(element, cst.Element) else None
        return literal is not None and isinstance(self.script.tree.parent.get(literal), cst.AssignTarget)

    # --- events -----------------------------------------------------------------------------------------------------

    def _orderings(self) -> None:
        """Events that are recorded and waited for, and never asked for a time: they only order streams."""
        tree = self.script.tree
        for assign in tree.all(cst.Assign):
            target = assign.targets[0].target
            if not self._is_event(assign.value) or len(assign.targets) > 1 or not dotted(target):
                continue
            calls = [self._ordering(use) for use in self._uses(target)]
            if len(self._bindings(target)) != 1 or not calls or None in calls:
                continue
            edit = self.edit("TC151", assign, "an XLA device has no streams to put in order")
            edit.remove(assign)
            self._gone.add(assign)
            for call in calls:
                assert call is not None
                self._gone.add(call)
                if isinstance(call.func, cst.Attribute) and call.func.attr.value == "synchronize":
                    edit.instead(call, Idiom.SYNCHRONIZE)
                else:
                    edit.remove(call)

    def _is_event(self, node: cst.BaseExpression) -> bool:
        """`torch.cuda.Event()`, `stream.record_event()`."""
        if not isinstance(node, cst.Call) or self.script.qualified(node.func) in _EVENTS:
            return isinstance(node, cst.Call)
        func = node.func if isinstance(node.func, cst.Attribute) and not node.args else None
        return func is not None and func.attr.value == "record_event" and self._is_stream(func.value)

    def _ordering(self, event: cst.BaseExpression) -> cst.Call | None:
        """The statement `event.record()`, `event.wait()`, `event.synchronize()` or `stream.wait_event(event)`."""
        tree = self.script.tree
        parent = tree.parent.get(event)
        call = tree.parent.get(parent) if parent is not None else None
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            return None
        known = ("record", "wait", "synchronize") if call.func is parent else ("wait_event", "record_event")
        return call if call.func.attr.value in known and isinstance(tree.parent.get(call), cst.Expr) else None

    def _events(self) -> None:
        tree = self.script.tree
        makers: dict[cst.Assign, list[cst.BaseExpression]] = {}
        for call in self.script.calls(*_EVENTS):
            if self._goes(call):
                continue
            assign = tree.small_statement(call)
            targets = self._targets(assign) if isinstance(assign, cst.Assign) else []
            if isinstance(assign, cst.Assign) and targets:
                makers[assign] = targets
            else:
                self.note("TC154", call, "torch.cuda.Event needs CUDA")
        events = {dotted(target) or "": target for targets in makers.values() for target in targets}
        asked = any(attribute.attr.value == "elapsed_time" for attribute in tree.all(cst.Attribute))
        if asked and all(self._only_times(target, events) for target in events.values()):
            for assign, targets in makers.items():
                self._time(assign, targets)
        else:
            for assign in makers:
                self.note("TC154", assign, "torch.cuda.Event needs CUDA")

    def _targets(self, assign: cst.Assign) -> list[cst.BaseExpression]:
        """What is bound to events and nothing else: `a = Event()`, `a, b = Event(), Event()`."""
        if len(assign.targets) != 1:
            return []
        target, value = assign.targets[0].target, assign.value
        pairs: list[tuple[cst.BaseExpression, cst.BaseExpression]] = [(target, value)]
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            pairs = [(a.value, b.value) for a, b in zip(target.elements, value.elements, strict=False)]
            if len(target.elements) != len(value.elements):
                return []
        made = [isinstance(v, cst.Call) and self.script.qualified(v.func) in _EVENTS for _, v in pairs]
        return [t for t, _ in pairs] if all(made) and all(dotted(t) for t, _ in pairs) else []

    def _only_times(self, target: cst.BaseExpression, events: dict[str, cst.BaseExpression]) -> bool:
        """Whether an event is only recorded, waited for and asked for the time to another event."""
        tree, names = self.script.tree, self.script.names
        function = tree.function(target)
        taken = names.find("time", names.scope(target))
        if taken is not None and any(binding.imported != "time" for binding in taken[1]):
            return False
        return len(self._bindings(target)) == 1 and all(
            (isinstance(target, cst.Attribute) or tree.function(use) is function) and self._method(use, events)
            for use in self._uses(target)
        )

    def _method(self, use: cst.BaseExpression, events: dict[str, cst.BaseExpression]) -> str:
        """`record`, `synchronize` or `elapsed_time`, or nothing for a use of another kind."""
        tree = self.script.tree
        parent = tree.parent[use]
        holder = tree.parent.get(parent)
        if isinstance(parent, cst.Arg) and isinstance(holder, cst.Call) and isinstance(holder.func, cst.Attribute):
            timed = holder.func.attr.value == "elapsed_time" and dotted(holder.func.value) in events
            return "end" if timed else ""
        if not isinstance(parent, cst.Attribute) or not isinstance(holder, cst.Call) or holder.func is not parent:
            return ""
        name = parent.attr.value
        if name == "elapsed_time" and len(holder.args) == 1 and dotted(holder.args[0].value) in events:
            return name
        return name if name in ("record", "synchronize") and isinstance(tree.parent.get(holder), cst.Expr) else ""

    def _time(self, assign: cst.Assign, targets: list[cst.BaseExpression]) -> None:
        tree = self.script.tree
        edit = self.edit("TC153", assign, "time is measured by the clock of the host, after an execution of the graph")
        edit.need(_TIME)
        edit.remove(assign)
        events = {dotted(target) or "": target for target in targets}
        for target in targets:
            for use in self._uses(target):
                self._replace(edit, use, events)
        self._gone.update(tree.ancestors(assign))

    def _replace(self, edit: Edit, use: cst.BaseExpression, events: dict[str, cst.BaseExpression]) -> None:
        tree = self.script.tree
        parent = tree.parent[use]
        call = tree.parent.get(parent)
        if not isinstance(parent, cst.Attribute) or not isinstance(call, cst.Call):
            return  # the argument of elapsed_time
        if parent.attr.value == "record":
            edit.before(call, edit.say_statements(Idiom.SYNCHRONIZE))
            line = build.statements("{name} = time.perf_counter()", name=code_of(use))[0]
            assert isinstance(line, cst.SimpleStatementLine)
            edit.replace(tree.parent[call], line.body[0])
        elif parent.attr.value == "synchronize":
            edit.remove(call)
        else:
            made = expression("({end} - {start}) * 1000", end=call.args[0].value, start=use)
            loose = isinstance(tree.parent.get(call), cst.Assign | cst.Arg | cst.Return | cst.FormattedStringExpression)
            edit.replace(call, made if loose else parenthesized(made))


def _assigns(block: cst.BaseSuite) -> list[cst.Assign]:
    lines = [line for line in block.body if isinstance(line, cst.SimpleStatementLine)]
    return [small for line in lines for small in line.body if isinstance(small, cst.Assign)]


def _values(assigns: list[cst.Assign]) -> list[cst.Call]:
    return [assign.value for assign in assigns if isinstance(assign.value, cst.Call)]
