"""Take `DistributedDataParallel` and `DataParallel` off the model.

Both wrappers drive CUDA devices: DDP needs an NCCL process group, and `DataParallel` scatters every batch to the GPUs
of one process. On XLA each process (or thread) has one device and the model is used as it is; `xm.optimizer_step`
averages the gradients that DDP averaged in its backward hooks. What the wrapper brought with it goes too:

* `model.module` becomes `model`, also as `getattr(model, "module", model)` and `model.module if ddp else model`;
* `isinstance(model, DDP)` and `hasattr(model, "module")` are never true any more, so the branch they guard goes;
* a statement that only says `model = model` after the unwrapping is removed;
* `nn.parallel.data_parallel(f, x, gpus)` becomes `f(x)`;
* a tensor made on the CPU and given to the wrapped model moves to the device: the wrapper moved it.

Only values that were wrapped lose `.module`: a class of the script with an attribute of that name keeps it. The first
weights that DDP copies from rank 0 are the business of the codemod `seed_sync`.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression, parenthesized
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit, is_pure
from codemods.kit.fold import condition, fold, in_place_of, same_either_way, same_in_both_arms, truth, unless_to_itself
from codemods.kit.names import argument, dotted
from codemods.kit.phrases import Import
from codemods.kit.roles import WRAPPERS, Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_FUNCTIONAL = "torch.nn.parallel.data_parallel"
_FACTORIES = ("rand", "randn", "randint", "zeros", "ones", "full", "empty", "tensor", "arange", "from_numpy", "Tensor")
_OTHERS = ("ema", "swa", "average", "avg", "loader", "dataset")
_BY_HAND = tuple(f"torch.nn.parallel.{name}" for name in ("replicate", "scatter", "gather", "parallel_apply"))


class DataParallel(Codemod):
    """Take DistributedDataParallel and DataParallel off the model."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC501", "DistributedDataParallel is unwrapped", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py optimizer_step; SageMaker: Training Compiler, PyTorch models"),
        Rule("TC502", "DataParallel is unwrapped", Safety.REVIEW,
             document="torch_xla 2.1 docs/gpu.md: one process for each device"),
        Rule("TC557", "no script is seen to start the processes that DataParallel becomes", Safety.NOTE, Severity.ERROR,
             "start the training in several processes, `_mp_fn(index)`; in one, take out what averages gradients",
             "torch_xla 2.1 distributed/xla_multiprocessing.py; SageMaker: Training Compiler troubleshooting"),
        Rule("TC503", ".module of a model that is no longer wrapped goes", Safety.EXACT),
        Rule("TC504", "tests for a parallel wrapper are decided", Safety.EXACT),
        Rule("TC525", "what the wrapper moved to the GPU moves to the device", Safety.EXACT,
             document="torch 2.1 nn/parallel/distributed.py _pre_forward; nn/parallel/data_parallel.py scatter"),
        Rule("TC505", "a parallel wrapper used in a way that is not rewritten", Safety.NOTE, Severity.ERROR,
             "use the model itself, in one process for each device"),
        Rule("TC506", ".module of a model this file did not wrap", Safety.NOTE, Severity.WARNING,
             "if the caller passed a DistributedDataParallel model, drop `.module`: models are not wrapped any more"),
        Rule("TC545", ".module of what may be a model that was wrapped", Safety.NOTE, Severity.ERROR,
             "drop `.module` if it is a model that was wrapped: nothing is wrapped any more"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n\n"
            "model = torch.nn.Linear(4, 2)\nmodel = DDP(model, device_ids=[local_rank])\n"
            'torch.save(model.module.state_dict(), "model.pt")\n',
            smtc='import torch\n\nmodel = torch.nn.Linear(4, 2)\ntorch.save(model.state_dict(), "model.pt")\n',
            xla='import torch\n\nmodel = torch.nn.Linear(4, 2)\ntorch.save(model.state_dict(), "model.pt")\n',
        ),
        Example(before="class Ema:\n    def __init__(self, model):\n        self.module = model\n"),
    )

    def rewrite(self) -> None:
        if self.script.group.is_xla:
            return  # DistributedDataParallel over it reduces through XLA
        for call in self.script.calls(*WRAPPERS):
            self._unwrap(call)
        for call in self.script.calls(_FUNCTIONAL):
            self._call_directly(call)
        if self._wrappers_in_use():
            self._inputs()
        self._modules()
        self._tests()
        self._other_uses()

    # --- the wrapper --------------------------------------------------------------------------------------------

    def _unwrap(self, call: cst.Call) -> None:
        kind = WRAPPERS[self.script.qualified(call.func) or ""]
        if argument(call, 0, "module") is None:
            self.note("TC505", call, f"{kind} takes its model from *args or **kwargs")
            return
        group = argument(call, None, "process_group")
        if group is not None and code_of(group.value) != "None":
            self.note("TC505", call, f"{kind} reduces over a process group of its own")
            return
        rule = "TC501" if kind == "DistributedDataParallel" else "TC502"
        message = "the step averages the gradients" if rule == "TC501" else "every process has one device"
        edit = self.edit(rule, call, f"{kind} is unwrapped: {message}")
        edit.replace(call, _model_of)
        if rule == "TC502" and self.script.links.unstarted:
            self.note("TC557", call, "it drove several GPUs, and no script is seen to start a process for each")
        self._tidy(edit, call)

    def _call_directly(self, call: cst.Call) -> None:
        inputs, options = argument(call, 1, "inputs"), argument(call, 5, "module_kwargs")
        if argument(call, 0, "module") is None or inputs is None:
            self.note("TC505", call, "data_parallel takes its model from *args or **kwargs")
            return
        edit = self.edit("TC502", call, "data_parallel becomes a call of the model: every process has one device")
        literal = isinstance(inputs.value, cst.Tuple)
        star = not literal and self._is_starred(call, inputs.value)

        def called(updated: cst.Call) -> cst.BaseExpression:
            model, passed = argument(updated, 0, "module"), argument(updated, 1, "inputs")
            assert model is not None
            assert passed is not None
            given = [cst.Arg(passed.value, star="*" if star else "")] if not literal else [
                cst.Arg(element.value) for element in cst.ensure_type(passed.value, cst.Tuple).elements
            ]  # fmt: skip
            keywords = argument(updated, 5, "module_kwargs")
            if options is not None and keywords is not None:
                given.append(cst.Arg(keywords.value, star="**"))
            separated = [arg.with_changes(comma=_COMMA) for arg in given[:-1]] + given[-1:]
            return cst.Call(parenthesized(model.value), separated, lpar=updated.lpar, rpar=updated.rpar)

        edit.replace(call, called)
        self._tidy(edit, call)

    def _is_starred(self, call: cst.Call, inputs: cst.BaseExpression) -> bool:
        """Whether the same function calls something with `*x`: then x is a tuple of inputs here, too."""
        tree, text = self.script.tree, code_of(inputs)
        calls = (other for other in tree.all(cst.Call) if tree.function(other) is tree.function(call))
        return any(arg.star == "*" and code_of(arg.value) == text for other in calls for arg in other.args)

    def _inputs(self) -> None:
        """Tensors of the CPU that calls of the wrapped model are given: `ddp_model(torch.randn(20, 10))`."""
        for call in self.script.tree.all(cst.Call):
            for arg in call.args:
                if self._made_on_cpu(arg.value) and self._was_wrapped(call.func):
                    edit = self.edit("TC525", arg, "the wrapper moved this to the GPU")
                    device = code_of(edit.device(call))
                    edit.replace(arg.value, lambda updated, device=device: expression(f"{{x}}.to({device})", x=updated))

    def _made_on_cpu(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Name):
            bindings = self.script.names.bindings(node)
            if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].path:
                return False
            node = bindings[0].value or node
        if not isinstance(node, cst.Call):
            return False
        module, _, factory = (self.script.qualified(node.func) or "").rpartition(".")
        return module == "torch" and factory in _FACTORIES and argument(node, None, "device") is None

    def _tidy(self, edit: Edit, node: cst.CSTNode) -> None:
        """Remove what the unwrapping leaves: `x = x`, and a choice between two equal things."""
        tree = self.script.tree
        for holder in tree.ancestors(node):
            if isinstance(holder, cst.IfExp) and is_pure(holder.test) and not tree.contains(holder.test, node):
                edit.replace(holder, same_either_way)
            if isinstance(holder, cst.Assign | cst.AnnAssign):
                edit.replace(holder, unless_to_itself)
            if isinstance(holder, cst.BaseSmallStatement):
                break
        line = tree.statement(node)
        chosen = tree.enclosing(line, cst.If) if line is not None else None
        if chosen is not None and is_pure(chosen.test) and not tree.contains(chosen.test, node):
            edit.replace(chosen, same_in_both_arms)

    # --- what the wrapper brought -------------------------------------------------------------------------------

    def _modules(self) -> None:
        for node in self.script.tree.all(cst.Attribute):
            if node.attr.value == "module" and self._reads(node) and self.script.qualified(node) is None:
                self._module(node)
        for call in self.script.calls("builtins.getattr"):
            if _key(call) == "module" and len(call.args) == 3 and self._was_wrapped(call.args[0].value):
                if code_of(call.args[0].value) == code_of(call.args[2].value):
                    edit = self.edit("TC503", call, "the model is not wrapped: it is used itself")
                    edit.replace(call, lambda updated: in_place_of(updated, updated.args[0].value))
                    self._tidy(edit, call)

    def _module(self, node: cst.Attribute) -> None:
        if self._was_wrapped(node.value):
            edit = self.edit("TC503", node, "the model is not wrapped: it has no .module")
            edit.replace(node, lambda updated: in_place_of(updated, parenthesized(updated.value)))
            self._tidy(edit, node)
            if self._repeats(node):
                edit.remove(node)
            return
        value = self.script.value(node.value, Role.MODEL)
        if value is not None and isinstance(value.origin, cst.Param) and not self._guarded(node):
            self.note("TC506", node, f"{dotted(node) or 'this'} needs a wrapped model", value.evidence)
        elif value is None and self._may_be_wrapped(node) and not self._guarded(node):
            owner = code_of(node.value)
            self.note("TC545", node, f"{owner}.module fails if {owner} was wrapped: it is a plain model now")

    def _may_be_wrapped(self, node: cst.Attribute) -> bool:
        """Whether something of unknown origin is asked for what its `.module` does, where models were wrapped. Not an
        average of a model, `ema.module`, a loader, nor what a class of the script has of its own."""
        if not (self._wrappers_in_use() or self.script.links.parallel or self.script.links.several):
            return False
        others = any(word in code_of(node.value).lower() for word in _OTHERS)
        if others or self.script.tree.enclosing(node, cst.Try) is not None:
            return False
        if dotted(node.value) == "self" or self.script.roles.values(node.value):
            return False
        classes = {class_ for class_, name in self.script.names.attributes if name == "module"}
        bindings = self.script.names.bindings(node.value)
        made = [binding.value for binding in bindings if isinstance(binding.value, cst.Call)]
        return not classes and not any(self.script.qualified(call.func) for call in made if isinstance(call, cst.Call))

    def _reads(self, node: cst.Attribute) -> bool:
        return not isinstance(self.script.tree.parent.get(node), cst.AssignTarget | cst.ImportFrom | cst.ImportAlias)

    def _was_wrapped(self, node: cst.BaseExpression) -> bool:
        values = [value for value in self.script.roles.values(node) if value.role is Role.MODEL]
        return any(value.wrapped for value in values) and not any(self._has_own(value.origin) for value in values)

    def _has_own(self, origin: cst.CSTNode) -> bool:
        """Whether a model is of a class of the script that has a `.module` of its own."""
        class_ = self.script.names.local_class(origin.func) if isinstance(origin, cst.Call) else None
        return class_ is not None and bool(self.script.names.attribute_bindings(class_, "module"))

    def _repeats(self, node: cst.Attribute) -> bool:
        """Whether `x = model.module` in an `if` becomes the `x = model` that already stands above the `if`."""
        tree = self.script.tree
        assign = tree.parent.get(node)
        chosen = tree.enclosing(assign, cst.If) if isinstance(assign, cst.Assign) and assign.value is node else None
        if not isinstance(assign, cst.Assign) or chosen is None:
            return False
        wanted = f"{code_of(assign.targets[0].target)} = {code_of(node.value)}"
        earlier = [line for line in tree.block(chosen) if tree.before(line, chosen)]
        return any(isinstance(line, cst.SimpleStatementLine) and code_of(line.body[0]) == wanted for line in earlier)

    def _guarded(self, node: cst.CSTNode) -> bool:
        """Whether a test for the wrapper stands around the node; it is right either way."""
        kinds = cst.If | cst.IfExp | cst.While
        tests = [outer.test for outer in self.script.tree.ancestors(node) if isinstance(outer, kinds)]
        return any("module" in text or "is_parallel" in text or "isinstance" in text for text in map(code_of, tests))

    # --- tests for the wrapper ----------------------------------------------------------------------------------

    def _tests(self) -> None:
        known: dict[cst.CSTNode, bool] = {}
        demanded: list[cst.CSTNode] = []
        for call in self.script.calls("builtins.hasattr"):
            if _key(call) == "module" and self._was_wrapped(call.args[0].value):
                known[call] = False
        for call in self.script.calls("builtins.isinstance"):
            if len(call.args) == 2:
                self._isinstance(call, known)
        for comparison in self.script.tree.all(cst.Comparison) if self._wrappers_in_use() else ():
            decided = self._type_test(comparison)
            if decided is not None:
                known[comparison] = decided
        if known:
            for node in known:
                edit = self.edit("TC504", node, "no model is wrapped any more: the test is decided")
                asserted = self.script.tree.parent.get(condition(self.script.tree, node))
                if isinstance(asserted, cst.Assert):
                    edit.remove(asserted)
                elif isinstance(asserted, cst.If) and truth(asserted.test, known) and _raises(asserted.body):
                    demanded.append(asserted.test)
            # `if not isinstance(model, DDP): raise`: the wrapper was demanded, and nothing is now.
            fold(edit, self.script.tree, {**known, **dict.fromkeys(demanded, False)})

    def _wrappers_in_use(self) -> bool:
        return any(True for name in WRAPPERS for _ in self.script.names.uses(name))

    def _isinstance(self, call: cst.Call, known: dict[cst.CSTNode, bool]) -> None:
        classes = call.args[1].value
        if self._is_wrapper(classes):
            known[call] = False
        elif isinstance(classes, cst.Tuple):
            gone = [element for element in classes.elements if self._is_wrapper(element.value)]
            if gone and len(gone) == len(classes.elements):
                known[call] = False
            elif gone:
                edit = self.edit("TC504", call, "no model is wrapped any more: the test leaves the wrapper out")
                edit.replace(call.args[1], lambda updated: updated.with_changes(value=_without(updated.value, indexes)))
                indexes = {classes.elements.index(element) for element in gone}

    def _type_test(self, node: cst.Comparison) -> bool | None:
        """The truth of `type(model) is DDP` and its variants, or None for another comparison."""
        left, target = node.left, node.comparisons[0]
        if len(node.comparisons) != 1 or not isinstance(left, cst.Call) or dotted(left.func) != "type":
            return None
        options = target.comparator.elements if isinstance(target.comparator, cst.Tuple | cst.List | cst.Set) else None
        classes = [option.value for option in options] if options else [target.comparator]
        if not all(self._is_wrapper(class_) for class_ in classes):
            return None
        return isinstance(target.operator, cst.NotEqual | cst.IsNot | cst.NotIn)

    def _is_wrapper(self, node: cst.BaseExpression) -> bool:
        return (self.script.qualified(node) or "") in WRAPPERS

    # --- the rest -----------------------------------------------------------------------------------------------

    def _other_uses(self) -> None:
        tree = self.script.tree
        for name, kind in WRAPPERS.items():
            for _, node in self.script.names.uses(name):
                holder = tree.parent.get(node)
                if tree.enclosing(node, cst.Annotation) is not None:
                    edit = self.edit("TC504", node, f"annotated as a plain module instead of {kind}")
                    edit.need(Import("torch"))
                    edit.replace(node, cst.parse_expression("torch.nn.Module"))
                elif isinstance(holder, cst.Arg) and isinstance(tree.parent.get(holder), cst.ClassDef):
                    self.note("TC505", node, f"a class derives from {kind}")
                elif not (isinstance(holder, cst.Call) and holder.func is node) and not self._in_a_test(node):
                    self.note("TC505", node, f"{kind} is passed on as a value")
        for call in self.script.calls(*_BY_HAND):
            self.note("TC505", call, f"{dotted(call.func)} spreads work over the GPUs of one process")
        for call in tree.all(cst.Call):
            if argument(call, None, "device_ids") is not None and self._is_foreign(call):
                self.note("TC505", call, f"{dotted(call.func)} is given `device_ids`, the GPUs of one process")

    def _is_foreign(self, call: cst.Call) -> bool:
        """Whether a call gives a model to something that is neither of torch nor of the script, where it is noted."""
        name = self.script.qualified(call.func)
        known = name is not None and name.startswith(("torch.", "apex.", "smdistributed."))
        own = self.script.names.local_class(call.func) or self.script.names.local_function(call.func)
        return bool(call.args) and not known and own is None and self.script.is_a(call.args[0].value, Role.MODEL)

    def _in_a_test(self, node: cst.CSTNode) -> bool:
        comparison = self.script.tree.enclosing(node, cst.Comparison)
        call = self.script.tree.enclosing(node, cst.Call)
        named = self.script.qualified(call.func) if call is not None else None
        return named == "builtins.isinstance" or (comparison is not None and self._type_test(comparison) is not None)


_COMMA = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _model_of(updated: cst.Call) -> cst.BaseExpression:
    model = argument(updated, 0, "module")
    assert model is not None
    return in_place_of(updated, model.value)


def _raises(block: cst.BaseSuite) -> bool:
    last = block.body[-1]
    return isinstance(last, cst.SimpleStatementLine) and isinstance(last.body[-1], cst.Raise)


def _key(call: cst.Call) -> object:
    """The attribute name that `hasattr` or `getattr` asks for."""
    key = call.args[1].value if len(call.args) > 1 else None
    return key.raw_value if isinstance(key, cst.SimpleString) else None


def _without(classes: cst.BaseExpression, indexes: set[int]) -> cst.BaseExpression:
    """A tuple of classes without some; the class itself when one is left."""
    assert isinstance(classes, cst.Tuple)
    kept = [element for index, element in enumerate(classes.elements) if index not in indexes]
    return kept[0].value if len(kept) == 1 else classes.with_changes(elements=kept)
