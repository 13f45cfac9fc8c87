"""Train on the XLA device.

`torch.device("cuda")` in every form becomes `xm.xla_device()` (`torch_xla.device()` from torch_xla 2.3), without an
index: each process has one device. A choice between devices (`"cuda" if torch.cuda.is_available() else "cpu"`) becomes
the XLA device as a whole: `is_available()` is true in a Training Compiler container, where the script would train on
native CUDA, and false on a TPU, where it would train on the CPU. A choice left to a command-line option goes the same
way, with a note: the option stays, but it no longer chooses.

A string is a device only where it reaches `.to(...)` or a `device=` argument; `"cuda"` in a message, a path or the
choices of an option stays. Devices of the CPU stay. A default argument or a class attribute is evaluated when the file
is imported, before there are processes: it becomes the text `"xla"`, which every torch call that takes a device
accepts. For the same reason a module-level device of a script that starts processes is bound in the functions that
read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from codemods.kit import build
from codemods.kit.accelerator import AVAILABLE, is_config
from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.entry import runs_ahead
from codemods.kit.names import argument, dotted
from codemods.kit.options import text
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_SOURCE = "torch_xla 2.1 core/xla_model.py xla_device"
_HARDWARE = ("torch.cuda.", "torch.accelerator.", "torch.backends.", "torch.mps.", "torch.xpu.", "builtins.hasattr")


class Device(Codemod):
    """Train on the XLA device."""

    STAGE = Stage.DEVICE
    RULES = (
        Rule("TC101", "a CUDA device becomes the XLA device", Safety.EXACT, document=_SOURCE),
        Rule("TC102", "a CUDA device as an argument becomes the XLA device", Safety.EXACT, document=_SOURCE),
        Rule("TC103", "a choice between devices becomes the XLA device", Safety.REVIEW,
             advice="remove the option that chose the device, or keep it for what else it decides", document=_SOURCE),
        Rule("TC104", "a device fixed at import time becomes the text \"xla\"", Safety.EXACT,
             document="torch_xla 2.9 test/test_pallas.py, which moves with .to('xla')"),
        Rule("TC105", "a device of the module is bound in the functions that read it", Safety.EXACT,
             document="torch_xla 2.9 distributed/xla_multiprocessing.py spawn"),
        Rule("TC106", "the default device becomes the XLA device", Safety.REVIEW,
             advice="parameters are now initialised by the XLA generator, not by torch.manual_seed"),
        Rule("TC107", "a CUDA generator becomes a CPU generator", Safety.REVIEW,
             advice="draw the random tensors on the CPU and move them; torch.Generator has no XLA device"),
        Rule("TC108", "an option no longer chooses the device", Safety.NOTE, Severity.INFO,
             advice="remove the option, or keep it for what else it decides"),
        Rule("TC109", "a device that comes from elsewhere", Safety.NOTE, Severity.WARNING,
             advice="make sure that the value is the XLA device, or the text \"xla\""),
        Rule("TC128", "a second GPU of one process", Safety.NOTE, Severity.WARNING,
             advice="check that the model fits one device; to use several, start one process for each"),
        Rule("TC100", "a default device that this torch version lacks", Safety.NOTE, Severity.ERROR,
             advice="remove the call and move the model and the batches with .to(device)"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\n"
            'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
            "model = torch.nn.Linear(2, 2).to(device)\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\n"
            "device = xm.xla_device()\nmodel = torch.nn.Linear(2, 2).to(device)\n",
            xla="import torch\nimport torch_xla\n\n"
            "device = torch_xla.device()\nmodel = torch.nn.Linear(2, 2).to(device)\n",
        ),
        Example(
            before="import torch\n\nx = torch.zeros(3, device='cuda')\ny = torch.ones(3).to(f\"cuda:{0}\")\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\ndevice = xm.xla_device()\n"
            "x = torch.zeros(3, device=device)\ny = torch.ones(3).to(device)\n",
            xla="import torch\nimport torch_xla\n\ndevice = torch_xla.device()\n"
            "x = torch.zeros(3, device=device)\ny = torch.ones(3).to(device)\n",
        ),
        Example(before='import torch\n\nprint("cuda")\ncpu = torch.device("cpu")\n'),
    )

    def rewrite(self) -> None:
        self._told: set[str] = set()
        for node in self.script.device_positions.definitions:
            self._define(node)
        for choice in self.script.device_choices.all:
            self._collapse(choice)
        for name in self.edits.devices.relocated:
            self._relocate(name)
        for call in self.script.calls("torch.Generator"):
            self._use_cpu_generator(call)
        for call in self.script.calls("torch.set_default_device"):
            self._set_default(call)
        said: set[str] = set()
        for node in sorted(self.script.device_positions.positions, key=lambda node: self.script.tree.order[node]):
            if is_config(node) and not self.script.accelerator.means(node) and not self._is_bound_elsewhere(node):
                if (code := code_of(node)) not in said:  # once for all of its uses
                    self.note("TC109", node, f"{code} comes from another file: it must be the XLA device there")
                said.add(code)
        for name, node in self.script.device_positions.unseen():
            self._name(name, node)

    def _name(self, name: str, node: cst.BaseExpression) -> None:
        """A text that names the CUDA device for other files."""
        links = self.script.links
        option = isinstance(self.script.tree.parent[node], cst.Arg) and name not in links.device_asks
        if option or name in links.device_reads or self.script.accelerator.reaches(node):
            edit = self.edit("TC104", node, 'the device that other files use becomes "xla"')
            edit.replace(node, build.requoted(node, "xla"))
        elif name in links.device_asks:
            self.note("TC108", node, f"{name} no longer chooses the device: other files train on the XLA device")
        else:
            self.note("TC109", node, "this text names the CUDA device, and where it is used as one is not in this file")

    def _is_bound_elsewhere(self, node: cst.BaseExpression) -> bool:
        """Whether another file binds the attribute to the device's name, which becomes XLA's there."""
        last = (dotted(node) or "").rpartition(".")[2]
        return last in self.script.links.device_texts

    # --- definitions ------------------------------------------------------------------------------------------------

    def _define(self, node: cst.BaseExpression) -> None:
        tree = self.script.tree
        parent = tree.parent[node]
        if isinstance(node, cst.Call) and node.args and text(node.args[0].value) == "xla":
            return  # `torch.device("xla")`, which starts no runtime
        if isinstance(parent, cst.Param) or self._is_class_attribute(node):
            edit = self.edit("TC104", node, 'the device fixed at import time becomes "xla"')
            named = node.args[0].value if isinstance(node, cst.Call) and node.args else node
            text_of = build.requoted(named, "xla")
            if isinstance(node, cst.Call) and self.script.qualified(node.func) == "torch.device":
                # A device stays one: its `.type` may be asked for, and making it starts no runtime.
                alone = node.with_changes(args=[cst.Arg(text_of)])
                edit.replace(node, alone)
            else:
                edit.replace(node, text_of)
            return
        if self._repeats(node):
            self.edit("TC101", node, "the line above makes the XLA device").remove(parent)
            return
        if self._is_another(node):
            self.note("TC128", node, f"{code_of(node)} is the same XLA device as any other of the process")
        if isinstance(parent, cst.Attribute) and parent.attr.value == "type":
            edit = self.edit("TC101", parent, "the type of the XLA device")
            edit.replace(parent, edit.say(Idiom.DEVICE_TYPE))
            return
        tensor = self._tensor(node) or self.script.device_positions.indexes.owner(node)
        if tensor is not None:
            edit = self.edit("TC101", node, f"the device that {code_of(tensor)} is on")
            edit.replace(node, cst.Attribute(tensor, cst.Name("device")))
            return
        flags = list(dict.fromkeys(self._flags(node)))
        idiom = self._idiom(node)
        ahead = idiom is Idiom.DEVICE_BEFORE_PROCESSES and not self.script.scripted.holds(node)
        binds = self._binds(node) or ahead  # a name for it would start the runtime
        rule = "TC103" if flags else "TC101" if binds else "TC102"
        edit = self.edit(rule, node, "becomes the XLA device")
        edit.replace(node, edit.say(idiom) if binds else edit.device(node))
        self._tell(node, flags)

    def _repeats(self, node: cst.BaseExpression) -> bool:
        """Whether it is the `device = torch.device(device)` right below `device = "cuda" if use_cuda else "cpu"`."""
        tree, positions = self.script.tree, self.script.device_positions
        assign = tree.parent[node]
        if not isinstance(assign, cst.Assign) or len(assign.targets) > 1 or not isinstance(node, cst.Call):
            return False
        name = code_of(assign.targets[0].target)
        block, line = list(tree.block(tree.statement(assign) or assign)), tree.statement(assign)
        above = block[block.index(line) - 1] if line in block[1:] else None
        if [code_of(arg) for arg in node.args] != [name] or not isinstance(above, cst.BaseStatement):
            return False
        if above in self.script.device_choices.all:
            return any(code_of(each.targets[0].target) == name for each in tree.inside(above, cst.Assign))
        made = above.body[0] if isinstance(above, cst.SimpleStatementLine) and len(above.body) == 1 else None
        is_made = isinstance(made, cst.Assign) and made.value in positions.definitions
        return is_made and isinstance(made, cst.Assign) and code_of(made.targets[0].target) == name

    def _tensor(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The x of `"cuda" if x.is_cuda else "cpu"`, also in `torch.device(...)`: the device is that of x."""
        if isinstance(node, cst.Call) and self.script.qualified(node.func) == "torch.device" and len(node.args) == 1:
            node = node.args[0].value
        test = node.test if isinstance(node, cst.IfExp) else None
        if not isinstance(node, cst.IfExp) or not isinstance(test, cst.Attribute) or test.attr.value != "is_cuda":
            return None
        judge = self.script.accelerator
        chosen = judge.means(node.body) and judge.is_other(node.orelse)
        return test.value if chosen and dotted(test.value) is not None else None

    def _idiom(self, node: cst.CSTNode) -> Idiom:
        """In the function that starts the processes, and in a module that is imported before they start, the runtime
        must not run yet; TorchScript knows no torch_xla."""
        tree = self.script.tree
        if runs_ahead(self.script, node) or self.script.scripted.holds(node):
            return Idiom.DEVICE_BEFORE_PROCESSES
        starts = {tree.function(call) for call in self.script.launch.starts}
        if starts and tree.function(node) is None:
            return Idiom.DEVICE_BEFORE_PROCESSES
        return Idiom.DEVICE_BEFORE_PROCESSES if tree.function(node) in starts else Idiom.DEVICE

    def _tell(self, node: cst.CSTNode, flags: list[str]) -> None:
        for flag in flags:
            if flag not in self._told:
                self._told.add(flag)
                self.note("TC108", node, f"{flag} no longer chooses the device: the script trains on the XLA device")

    def _is_another(self, node: cst.CSTNode) -> bool:
        """`"cuda:1"`, `torch.device("cuda", 1)`, `x.to(1)`: a second GPU of the same process."""
        numbers = [int(found.value) for found in walk(node) if isinstance(found, cst.Integer) and found.value.isdigit()]
        texts = [text(found) for found in walk(node) if isinstance(found, cst.SimpleString)]
        if not isinstance(node, cst.Call | cst.SimpleString | cst.Integer):
            return False
        return any(numbers) or any(re.fullmatch(r"cuda:[1-9]\d*", word) for word in texts)

    def _is_class_attribute(self, node: cst.BaseExpression) -> bool:
        statement = self.script.tree.small_statement(node)
        binds = isinstance(statement, cst.Assign | cst.AnnAssign) and self.script.names.scope(statement).is_class
        return binds and statement is not None and statement.value is node  # type: ignore[union-attr]

    def _binds(self, node: cst.BaseExpression) -> bool:
        """Whether the expression is there to be kept: bound to a name, returned, or asked for an attribute."""
        parent = self.script.tree.parent.get(node)
        while isinstance(parent, cst.IfExp | cst.BooleanOperation | cst.Element | cst.Tuple | cst.List):
            parent = self.script.tree.parent.get(parent)
        kept = cst.Assign | cst.AnnAssign | cst.NamedExpr | cst.Return | cst.Lambda | cst.DictElement | cst.Attribute
        return isinstance(parent, kept)

    def _flags(self, node: cst.CSTNode) -> Iterator[str]:
        """What the user decides the device by: options, and conditions that ask more than the hardware."""
        for found in walk(node):
            if isinstance(found, cst.IfExp):
                yield from self._conditions(found.test)
            elif isinstance(found, cst.Name | cst.Attribute) and self._is_chosen(found):
                yield code_of(found)

    def _is_chosen(self, node: cst.Name | cst.Attribute) -> bool:
        """An option, or the x of `torch.device(x)`, where x is a parameter or may be another device."""
        if self.script.accelerator.is_option(node):
            return True
        arg = self.script.tree.parent.get(node)
        call = self.script.tree.parent.get(arg) if isinstance(arg, cst.Arg) else None
        if not isinstance(call, cst.Call) or self.script.qualified(call.func) != "torch.device":
            return False
        if self.script.device_positions.is_index(node):
            return False
        bindings = self.script.names.bindings(node)
        values = [binding.value for binding in bindings if binding.kind == "assign" and binding.value is not None]
        return any(b.kind == "parameter" for b in bindings) or any(map(self.script.accelerator.is_other, values))

    def _conditions(self, test: cst.BaseExpression) -> Iterator[str]:
        if isinstance(test, cst.UnaryOperation):
            yield from self._conditions(test.expression)
        elif isinstance(test, cst.BooleanOperation):
            yield from self._conditions(test.left)
            yield from self._conditions(test.right)
        elif not self._asks_hardware(test):
            yield code_of(test)

    def _asks_hardware(self, test: cst.BaseExpression) -> bool:
        """Whether a condition, or the one expression a name is bound to, only asks which hardware there is."""
        if isinstance(test, cst.Attribute) and test.attr.value == "is_cuda":
            return True
        if isinstance(test, cst.Call):
            return (self.script.qualified(test.func) or "").startswith((*AVAILABLE, *_HARDWARE))
        bindings = self.script.names.bindings(test) if isinstance(test, cst.Name | cst.Attribute) else []
        values = [binding.value for binding in bindings if binding.kind == "assign" and not binding.path]
        return len(values) == 1 == len(bindings) and values[0] is not None and not any(self._conditions(values[0]))

    def _collapse(self, choice: cst.If) -> None:
        """`if use_cuda: device = ... else: device = ...` becomes one line."""
        edit = self.edit("TC103", choice, "the choice of the device becomes the XLA device")
        first = next(node for node in walk(choice) if isinstance(node, cst.Assign))
        made = first.with_changes(value=edit.say(self._idiom(choice)))

        def rewritten(updated: cst.If) -> cst.SimpleStatementLine:
            return cst.SimpleStatementLine([made], leading_lines=updated.leading_lines)

        edit.replace(choice, rewritten)
        tests = [node.test for node in walk(choice) if isinstance(node, cst.If) and self._offers_other(node)]
        self._tell(choice, [flag for test in tests for flag in self._conditions(test)])

    def _offers_other(self, choice: cst.If) -> bool:
        """Whether one of its arms is another device: two arms may be two CUDA devices."""
        assigned = [node.value for node in walk(choice) if isinstance(node, cst.Assign)]
        return any(self.script.accelerator.is_other(value) for value in assigned)

    def _relocate(self, name: str) -> None:
        devices = self.edits.devices
        reads = devices.reads(name)
        for binding in devices.relocated[name]:
            edit = self.edit("TC105", binding.node, f"{name} is bound in the functions that read it")
            edit.remove(self.script.device_choices.around(binding.node) or binding.node)
            if edit.allowed:
                for read in reads:
                    devices.introduce(read, name)

    # --- generators and defaults ------------------------------------------------------------------------------------

    def _use_cpu_generator(self, call: cst.Call) -> None:
        found = argument(call, 0, "device")
        if found is not None and self.script.accelerator.means(found.value):
            edit = self.edit("TC107", call, "a generator lives on the CPU")
            edit.remove(found)

    def _set_default(self, call: cst.Call) -> None:
        found = argument(call, 0, "device")
        if found is None or not self.script.accelerator.means(found.value) or text(found.value) == "xla":
            return
        if self.can(Idiom.SET_DEFAULT_DEVICE):
            edit: Edit = self.edit("TC106", call, "tensors are made on the XLA device")
            edit.replace(call, edit.say(Idiom.SET_DEFAULT_DEVICE))
        else:
            self.note("TC100", call, "torch has no set_default_device before 2.0")
