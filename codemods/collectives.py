"""Say the collectives of torch.distributed in torch_xla.

`dist.all_reduce(t)` works in place. `xm.all_reduce` does so only when it is given a list; with a bare tensor it returns
a new one, and the statement would throw the sum away. So the list form is written. What has no counterpart on XLA
(`scatter`, `send`, process groups of a subset of the ranks) is left with a note.

* `all_reduce`, `reduce`: a sum, mean, product, minimum or maximum, in place on every process;
* `broadcast`: in place; a loop that broadcasts each parameter of a model becomes one broadcast of the model;
* `all_gather`: rebuilds the list, whose preparation (`[torch.zeros_like(t) for _ in range(world_size)]`) goes;
* `all_gather_object`, `broadcast_object_list`: `xm.mesh_reduce`, which carries picklable objects between the hosts.

Where one process alone reads what was reduced, all of them execute the graph before: read on one, the collective would
wait for the others. What it alone computes, `if rank == 0: total /= n` below a `reduce`, all of them compute: its graph
would be another one than theirs. A function that returns a reduced count executes it at once.

`handle = dist.all_reduce(..., async_op=True)` whose handle is only waited for is said in the same way, and the waiting
goes: XLA orders what it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from codemods.kit.build import assignment, code_of, expression, statements, with_keyword
from codemods.kit.codemod import Codemod
from codemods.kit.divided import computed_by_one, open_to_all
from codemods.kit.edits import Edit
from codemods.kit.names import argument, dotted
from codemods.kit.pending import read_by_one
from codemods.kit.phrases import Idiom
from codemods.kit.ranks import CALLS, GROUPS
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import Tree, walk
from codemods.kit.views import fills_views

_REDUCTIONS = {"SUM": Idiom.ALL_REDUCE_SUM, "AVG": Idiom.ALL_REDUCE_MEAN, "AVERAGE": Idiom.ALL_REDUCE_MEAN,
               "MAX": Idiom.ALL_REDUCE_MAX, "MIN": Idiom.ALL_REDUCE_MIN, "PRODUCT": Idiom.ALL_REDUCE_MUL}  # fmt: skip
_OPERATIONS = {"SUM": Idiom.REDUCE_SUM, "MAX": Idiom.REDUCE_MAX, "MIN": Idiom.REDUCE_MIN, "PRODUCT": Idiom.REDUCE_MUL}
_ELSEWHERE = ("barrier", "init_process_group", "destroy_process_group", "is_available", "is_initialized",
              "is_torchelastic_launched", "ReduceOp", "reduce_op", "autograd", "fsdp", "pipeline", "pipelining",
              "tensor", "_tensor", "elastic", "rpc", "optim", "algorithms", "launch", "run", "Backend", "_composable",
              "checkpoint", "device_mesh", "get_backend")  # fmt: skip
_GONE = ("_backend", "dist_backend")
"""Of torch 0.4: no torch of a target has it, and programs ask before they take it."""
_HANDLED = ("all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter", "reduce_scatter_tensor",
            "all_gather_object", "broadcast_object_list", "all_gather_into_tensor")  # fmt: skip
_MAKES_TENSOR = ("torch.zeros_like", "torch.empty_like", "torch.ones_like", "torch.zeros", "torch.empty", "torch.ones")


class Collectives(Codemod):
    """Say the collectives of torch.distributed in torch_xla."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC516", "all_reduce and reduce become the in-place xm.all_reduce", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py all_reduce"),
        Rule("TC549", "what the first process alone computes of a reduced tensor is computed by all", Safety.EXACT,
             document="run on two replicas: a pending sum of one process makes its graph another one than the others'"),
        Rule("TC510", "broadcast and gather become torch_xla's", Safety.REVIEW,
             document="torch_xla 2.1 core/xla_model.py collective_broadcast, all_gather, reduce_scatter, mesh_reduce"),
        Rule("TC519", "a collective without a counterpart", Safety.NOTE, Severity.ERROR,
             "express it with xm.all_reduce, xm.all_gather or xm.mesh_reduce, which every process has to reach",
             "torch_xla 2.1 core/xla_model.py"),
        Rule("TC520", "a broadcast of a model's parameters", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py broadcast_master_param"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch.distributed as dist\n\n\ndef reduce_mean(tensor, nprocs):\n    rt = tensor.clone()\n"
            "    dist.all_reduce(rt, op=dist.ReduceOp.SUM)\n    rt /= nprocs\n    return rt\n",
            smtc="import torch_xla.core.xla_model as xm\n\n\ndef reduce_mean(tensor, nprocs):\n"
            "    rt = tensor.clone()\n    xm.all_reduce(xm.REDUCE_SUM, [rt])\n    rt /= nprocs\n    return rt\n",
            xla="import torch_xla.core.xla_model as xm\n\n\ndef reduce_mean(tensor, nprocs):\n    rt = tensor.clone()\n"
            "    xm.all_reduce(xm.REDUCE_SUM, [rt])\n    rt /= nprocs\n    return rt\n",
        ),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return
        synced = self._model_broadcasts()
        self._executed: set[cst.CSTNode] = set()
        for group in GROUPS:
            for name, node in self.script.names.uses(group):
                function = name[len(group) + 1 :].partition(".")[0]
                if not function or function in (*_ELSEWHERE, *_GONE) or name in CALLS:
                    continue
                if any(self.script.tree.contains(made, node) for made in self.script.group.made):
                    continue  # `backend="nccl" if dist.is_nccl_available() else "gloo"` goes with the group
                call = self.script.tree.parent.get(node)
                if not isinstance(call, cst.Call) or call.func is not node:
                    annotated = self.script.tree.enclosing(node, cst.Annotation) is not None
                    if function != "group" and not annotated:
                        self.note("TC519", node, f"{function} is passed on as a value")
                elif call not in synced:
                    self._collective(function, call)

    # --- one call -----------------------------------------------------------------------------------------------

    def _collective(self, function: str, call: cst.Call) -> None:
        reason = self._hindrance(function, call)
        if reason:
            self.note("TC519", call, reason)
        elif function in ("all_reduce", "reduce"):
            self._reduce(function, call)
        elif function == "broadcast":
            self._broadcast(call)
        elif function == "all_gather":
            self._gather(call)
        elif function in ("all_gather_object", "broadcast_object_list"):
            self._objects(function, call)
        else:
            self._into_tensor(function, call)

    def _hindrance(self, function: str, call: cst.Call) -> str:
        """Why a call cannot be said on XLA, or an empty string."""
        if function not in _HANDLED:
            return f"{function} has no counterpart in torch_xla"
        group = argument(call, None, "group")
        if group is not None and code_of(group.value) not in (
            "None",
            "dist.group.WORLD",
            "torch.distributed.group.WORLD",
        ):
            return f"{function} over a process group of its own"
        if self._is_async(call):
            if self._waits(call) is None:
                return f"{function} with async_op: XLA does not wait for collectives, and gives no handle to wait for"
        elif not isinstance(self.script.tree.parent.get(call), cst.Expr):
            return f"the result of {function} is used"
        if any(arg.star for arg in call.args):
            return f"{function} takes its arguments from * or **"
        return ""

    def _is_async(self, call: cst.Call) -> bool:
        waiting = argument(call, None, "async_op")
        return waiting is not None and code_of(waiting.value) != "False"

    def _waits(self, call: cst.Call) -> list[cst.Expr] | None:
        """The `handle.wait()` statements of `handle = dist.all_reduce(..., async_op=True)`; None for another use of the
        handle. On XLA the order of the graph waits."""
        tree, names = self.script.tree, self.script.names
        parent = tree.parent[call]
        if isinstance(parent, cst.Expr):
            return []  # nobody waits
        target = parent.targets[0].target if isinstance(parent, cst.Assign) and len(parent.targets) == 1 else None
        if not isinstance(target, cst.Name):
            return None
        waits: list[cst.Expr] = []
        for use in tree.all(cst.Name):
            if use is target or use.value != target.value:
                continue
            bindings = names.bindings(use)
            if any(binding.node is parent for binding in bindings):
                wait = _waited(tree, use)
                if wait is None or len(bindings) > 1:
                    return None
                waits.append(wait)
        return waits

    def _put(self, edit: Edit, call: cst.Call, said: Callable[[cst.Call], cst.BaseExpression]) -> None:
        """What is said for a call, in its place; a handle that it gave goes with the waiting for it."""
        statement = self._statement(edit, call)
        if isinstance(statement, cst.Assign):
            edit.replace(statement, lambda updated: cst.Expr(said(updated.value)))
        else:
            edit.replace(call, said)

    def _reduce(self, function: str, call: cst.Call) -> None:
        tensor = argument(call, 0, "tensor")
        operation = argument(call, 1 if function == "all_reduce" else 2, "op")
        name = (self.script.qualified(operation.value) or "?") if operation else "SUM"
        idiom = _REDUCTIONS.get(name.rpartition(".")[2])
        chosen = self._chosen(operation.value) if operation is not None and idiom is None else []
        if tensor is not None and chosen and self._host_value(tensor.value) is None:
            self._reduce_by(function, call, chosen)
            return
        if tensor is None or idiom is None:
            self.note("TC519", call, f"{function} with an operation that is not known here")
            return
        host = self._host_value(tensor.value)
        if host is not None:
            self._reduce_on_host(call, host, idiom)
            return
        edit = self.edit("TC516", call, f"{function} becomes {idiom.value}")
        self._put(edit, call, lambda updated: edit.say(idiom, tensor=_value(updated, 0, "tensor")))
        self._execute(edit, call, tensor.value)

    def _execute(self, edit: Edit, call: cst.Call, tensor: cst.BaseExpression) -> None:
        """Every process executes the graph where one alone would read what is reduced."""
        if not edit.allowed:
            return
        last = (self.script.qualified(call.func) or "").rpartition(".")[2]
        divided = computed_by_one(self.script, call, tensor) if last == "reduce" else []
        for guard in divided:
            open_to_all(self.script, self.edit("TC549", guard, "all processes compute with what is reduced"), guard)
        for place in read_by_one(self.script, call, tensor, divided):
            if place in self._executed:
                continue
            self._executed.add(place)
            (edit.after if place is call else edit.before)(place, edit.say_statements(Idiom.MARK_STEP))

    def _chosen(self, operation: cst.BaseExpression) -> list[cst.BaseExpression]:
        """The operations that a name is bound to before, `op = dist.ReduceOp.SUM`; none when one has no counterpart."""
        bindings = self.script.names.bindings(operation) if isinstance(operation, cst.Name) else []
        values = [binding.value for binding in bindings if binding.kind == "assign" and not binding.path]
        known = [value for value in values if value is not None and self._operation(value) in _OPERATIONS]
        return known if len(known) == len(bindings) else []

    def _operation(self, value: cst.BaseExpression) -> str:
        return (self.script.qualified(value) or "").rpartition(".")[2]

    def _reduce_by(self, function: str, call: cst.Call, chosen: list[cst.BaseExpression]) -> None:
        """A reduction whose operation was chosen before: its name stays, and holds torch_xla's."""
        edit = self.edit("TC516", call, f"{function} becomes xm.all_reduce")
        for value in chosen:
            edit.replace(value, edit.say(_OPERATIONS[self._operation(value)]))

        def said(updated: cst.Call) -> cst.BaseExpression:
            operation = _value(updated, 1 if function == "all_reduce" else 2, "op")
            return edit.say(Idiom.ALL_REDUCE, operation=operation, tensor=_value(updated, 0, "tensor"))

        self._put(edit, call, said)
        self._execute(edit, call, _value(call, 0, "tensor"))

    def _host_value(self, tensor: cst.BaseExpression) -> cst.Name | None:
        """The name of a tensor that evidently stays on the host: made by torch.tensor(...) without a device."""
        if not isinstance(tensor, cst.Name):
            return None
        made = self.script.names.assigned(tensor)
        if not isinstance(made, cst.Call) or self.script.qualified(made.func) != "torch.tensor":
            return None
        return None if argument(made, None, "device") else tensor

    def _reduce_on_host(self, call: cst.Call, name: cst.Name, idiom: Idiom) -> None:
        functions = {Idiom.ALL_REDUCE_SUM: "sum", Idiom.ALL_REDUCE_MAX: "max", Idiom.ALL_REDUCE_MIN: "min",
                     Idiom.ALL_REDUCE_MEAN: "lambda values: sum(values) / len(values)"}  # fmt: skip
        if idiom not in functions:
            self.note("TC519", call, "a product over the processes of a tensor on the host")
            return
        edit = self.edit("TC516", call, "a value on the host is reduced by xm.mesh_reduce")
        said = edit.say(Idiom.MESH_REDUCE, tag=f'"{name.value}"', value=name, function=functions[idiom])
        edit.replace(self._statement(edit, call), assignment(name.value, said))

    def _statement(self, edit: Edit, call: cst.Call) -> cst.CSTNode:
        """The statement of a call, without the statements that wait for it."""
        for wait in self._waits(call) or ():
            edit.remove(wait)
        return self.script.tree.parent[call]

    # --- broadcasts and gathers ---------------------------------------------------------------------------------

    def _broadcast(self, call: cst.Call) -> None:
        tensor, source = argument(call, 0, "tensor"), argument(call, 1, "src")
        if tensor is None or source is None:
            self.note("TC519", call, "broadcast without a tensor or a source")
            return
        if not self.can(Idiom.MODEL_SYNC) and dotted(tensor.value) is None:  # it is written twice
            self.note("TC519", call, "broadcast of what has no name: this torch_xla lacks xm.collective_broadcast")
            return
        edit = self.edit("TC510", call, "broadcast becomes torch_xla's")

        def said(updated: cst.Call) -> cst.BaseExpression:
            return edit.say(Idiom.BROADCAST, tensor=_value(updated, 0, "tensor"), source=_value(updated, 1, "src"))

        self._put(edit, call, said)

    def _model_broadcasts(self) -> set[cst.Call]:
        """`for p in model.parameters(): dist.broadcast(p.data, 0)`: the calls, which become one for the whole model."""
        found: set[cst.Call] = set()
        for call in self.script.calls(*(f"{group}.broadcast" for group in GROUPS)):
            loop = self.script.tree.loop(call)
            statement = self.script.tree.statement(call)
            tensor, source = argument(call, 0, "tensor"), argument(call, 1, "src")
            if not isinstance(loop, cst.For) or not self.can(Idiom.MODEL_SYNC) or tensor is None or source is None:
                continue
            model = self._model_behind(loop)
            alone = isinstance(loop.body, cst.SimpleStatementSuite) or list(loop.body.body) == [statement]
            if model is None or not alone or code_of(source.value) != "0" or not _is_target(tensor.value, loop.target):
                continue
            edit = self.edit("TC520", loop, "the model is broadcast from the first process")
            edit.replace(loop, _in_place_of(loop, edit.say_statements(Idiom.MODEL_SYNC, model=model)))
            found.add(call)
        return found

    def _model_behind(self, loop: cst.For) -> cst.BaseExpression | None:
        """The model whose `parameters()` or `state_dict().values()` a loop goes through."""
        iterated = loop.iter
        if isinstance(iterated, cst.Call) and isinstance(iterated.func, cst.Attribute):
            if iterated.func.attr.value in ("values", "items") and isinstance(iterated.func.value, cst.Call):
                iterated = iterated.func.value
        if not isinstance(iterated, cst.Call) or not isinstance(iterated.func, cst.Attribute):
            return None
        if iterated.func.attr.value not in ("parameters", "named_parameters", "state_dict"):
            return None
        model = iterated.func.value
        return model if self.script.is_a(model, Role.MODEL) or dotted(model) in ("model", "self.model") else None

    def _gather(self, call: cst.Call) -> None:
        into, tensor = argument(call, 0, "tensor_list"), argument(call, 1, "tensor")
        if into is None or tensor is None:
            self.note("TC519", call, "all_gather without its two arguments")
            return
        prepared = self._prepared(into.value, call)
        joined = self._joined(into.value, call) if prepared is not None else None
        if prepared is not None and joined is not None:
            edit = self.edit("TC510", call, "all_gather becomes xm.all_gather, which joins the parts itself")
            edit.remove(prepared)
            edit.remove(call)
            edit.replace(joined, lambda updated: self._gathered(edit, updated, tensor.value))
            return
        line = self.script.tree.statement(call)
        if prepared is None and fills_views(self.script, into.value):
            if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
                self.note("TC519", call, f"all_gather into {code_of(into.value)}, parts of other tensors")
                return
            self._copy_into(call, line)
            return
        edit = self.edit("TC510", call, "all_gather becomes xm.all_gather, taken apart by process")
        if prepared is not None:
            edit.remove(prepared)
        target = code_of(into.value) if prepared is not None else f"{code_of(into.value)}[:]"

        def said(updated: cst.Expr) -> cst.Assign:
            value = updated.value
            assert isinstance(value, cst.Call)
            return assignment(target, edit.say(Idiom.ALL_GATHER, tensor=_value(value, 1, "tensor")))

        edit.replace(self._statement(edit, call), said)

    def _copy_into(self, call: cst.Call, line: cst.SimpleStatementLine) -> None:
        """Fill parts of another tensor, one by one: `dist.all_gather(list(buffer.split(sizes)), x)`."""
        edit = self.edit("TC510", call, "all_gather becomes xm.all_gather, copied into place")
        self._statement(edit, call)
        names, scope = self.script.names, self.script.names.scope(call)
        view, part = (name if names.find(name, scope) is None else f"{name}_" for name in ("view", "part"))

        def said(updated: cst.SimpleStatementLine) -> cst.BaseStatement:
            small = updated.body[0]
            value = small.value if isinstance(small, cst.Expr | cst.Assign) else None
            assert isinstance(value, cst.Call)
            gathered = edit.say(Idiom.ALL_GATHER, tensor=_value(value, 1, "tensor"))
            over = expression("zip({into}, {gathered})", into=_value(value, 0, "tensor_list"), gathered=gathered)
            made = statements(f"for {view}, {part} in {code_of(over)}:\n    {view}.copy_({part})\n")[0]
            loop = cst.ensure_type(made, cst.For)
            body = cst.ensure_type(loop.body, cst.IndentedBlock).with_changes(header=updated.trailing_whitespace)
            return loop.with_changes(leading_lines=updated.leading_lines, body=body)

        edit.replace(line, said)

    def _joined(self, into: cst.BaseExpression, call: cst.Call) -> cst.Call | None:
        """The `torch.cat(parts, dim=0)` in the statement after a gather, when nothing else reads the parts."""
        tree = self.script.tree
        statement, bindings = tree.parent[call], self.script.names.bindings(into)
        line = tree.statement(call)
        block = list(tree.block(line)) if line is not None else []
        following = block[block.index(line) + 1 :][:1] if line in block else []
        for cat in self.script.calls("torch.cat", "torch.concat", "torch.concatenate"):
            parts, dim = argument(cat, 0, "tensors"), argument(cat, 1, "dim")
            if parts is None or self.script.names.bindings(parts.value) != bindings or len(cat.args) > 2:
                continue
            inside = bool(following) and tree.contains(following[0], cat) and isinstance(statement, cst.Expr)
            known = dim is None or isinstance(dim.value, cst.Integer | cst.UnaryOperation)
            others = {node for node in tree.all(cst.Name) if self.script.names.bindings(node) == bindings}
            gathering = {node for node in others if tree.contains(call, node) or tree.contains(bindings[0].node, node)}
            return cat if inside and known and others == gathering | {parts.value} else None
        return None

    def _gathered(self, edit: Edit, cat: cst.Call, tensor: cst.BaseExpression) -> cst.BaseExpression:
        """`xm.all_gather(tensor, dim=0)` for the `torch.cat` of what was gathered."""
        said, dim = edit.say(Idiom.GATHERED, tensor=tensor), argument(cat, 1, "dim")
        assert isinstance(said, cst.Call)
        return with_keyword(said, "dim", dim.value) if dim is not None else said

    def _prepared(self, into: cst.BaseExpression, call: cst.Call) -> cst.CSTNode | None:
        """The assignment that only made room: `out = [torch.zeros_like(t) for _ in range(n)]`."""
        bindings = self.script.names.bindings(into) if isinstance(into, cst.Name) else []
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
            return None
        binding, value = bindings[0], bindings[0].value
        assert value is not None
        made = [
            code for node in walk(value) if isinstance(node, cst.Call) and (code := self.script.qualified(node.func))
        ]
        room = isinstance(value, cst.ListComp) or (
            isinstance(value, cst.BinaryOperation) and isinstance(value.left, cst.List)
        )
        same = self.script.tree.function(binding.node) is self.script.tree.function(call)
        earlier = [
            use for use in self.script.tree.all(cst.Name)
            if isinstance(into, cst.Name) and use.value == into.value and self.script.tree.before(binding.node, use)
            and self.script.tree.before(use, call) and not self.script.tree.contains(binding.node, use)
        ]  # fmt: skip
        if room and same and not earlier and any(name in _MAKES_TENSOR for name in made):
            return binding.node
        return None

    def _objects(self, function: str, call: cst.Call) -> None:
        into = argument(call, 0, "object_list")
        passed = argument(call, 1, "obj") if function == "all_gather_object" else into
        source = argument(call, 1, "src")
        if into is None or passed is None:
            self.note("TC519", call, f"{function} without its arguments")
            return
        edit = self.edit("TC510", call, f"{function} becomes xm.mesh_reduce")
        place = self.script.tree.function(call)
        tag = f'"{place.name.value if place else "main"}_objects"'
        said = edit.say(Idiom.GATHER_OBJECTS, tag=tag, value=code_of(passed.value))
        if function == "broadcast_object_list":
            said = expression("{all}[{source}]", all=said, source=source.value if source is not None else "0")
        edit.replace(self._statement(edit, call), assignment(f"{code_of(into.value)}[:]", said))

    def _into_tensor(self, function: str, call: cst.Call) -> None:
        """Collectives that fill one tensor: `all_gather_into_tensor`, `reduce_scatter`, `reduce_scatter_tensor`."""
        names = ("output_tensor", "input_tensor") if function == "all_gather_into_tensor" else ("output", "input")
        listed = function == "reduce_scatter"
        into, source = argument(call, 0, names[0]), argument(call, 1, "input_list" if listed else names[1])
        operation = argument(call, 2, "op")
        if into is None or source is None or (operation is not None and not code_of(operation.value).endswith("SUM")):
            self.note("TC519", call, f"{function} with arguments that are not known here")
            return
        idiom = Idiom.GATHERED if function == "all_gather_into_tensor" else Idiom.REDUCE_SCATTER
        tensor = expression("torch.cat({parts})", parts=source.value) if listed else source.value
        edit = self.edit("TC510", call, f"{function} becomes torch_xla's, copied into place")
        said = expression("{into}.copy_({said})", into=into.value, said=edit.say(idiom, tensor=tensor))
        self._put(edit, call, lambda updated: said)


def _waited(tree: Tree, handle: cst.Name) -> cst.Expr | None:
    """The statement `handle.wait()` around a name."""
    method = tree.parent[handle]
    call = tree.parent.get(method)
    if not isinstance(method, cst.Attribute) or method.attr.value != "wait" or not isinstance(call, cst.Call):
        return None
    statement = tree.parent.get(call)
    return statement if isinstance(statement, cst.Expr) else None


def _value(call: cst.Call, position: int, keyword: str) -> cst.BaseExpression:
    found = argument(call, position, keyword)
    assert found is not None
    return found.value


def _is_target(tensor: cst.BaseExpression, target: cst.BaseExpression) -> bool:
    """Whether a tensor is the loop's own: `p`, `p.data`, the second of `k, v`."""
    last = target.elements[-1].value if isinstance(target, cst.Tuple) else target
    return code_of(tensor) in (code_of(last), f"{code_of(last)}.data")


def _in_place_of(loop: cst.For, said: Sequence[cst.BaseStatement]) -> Callable[[cst.For], list[cst.BaseStatement]]:
    first, *rest = said
    return lambda _: [first.with_changes(leading_lines=loop.leading_lines), *rest]
