"""A training script as facts: `read(module)` gives everything a codemod may ask. It holds no edits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import libcst as cst

from codemods.kit.accelerator import Accelerator
from codemods.kit.asks import asks_for_accelerator
from codemods.kit.cells import Cells
from codemods.kit.device_choices import DeviceChoices
from codemods.kit.device_positions import DevicePositions
from codemods.kit.estimators import Estimators
from codemods.kit.frameworks import Stands, Use, read_frameworks
from codemods.kit.gradients import last_name
from codemods.kit.groups import ProcessGroup
from codemods.kit.launch import Launch, LaunchFacts, read_launch
from codemods.kit.links import ALONE, Links
from codemods.kit.loaders import Loaders
from codemods.kit.loops import Loops
from codemods.kit.mark_plan import Planner
from codemods.kit.marks import Marks
from codemods.kit.model_moves import ModelMoves
from codemods.kit.names import Names
from codemods.kit.options import Options
from codemods.kit.placements import Placements
from codemods.kit.ranks import Ranks
from codemods.kit.roles import Role, Roles, Value
from codemods.kit.scripted import Scripted
from codemods.kit.tree import Tree, walk


class Script:
    """The facts of one script. Each room is read once, when first asked for."""

    def __init__(
        self,
        module: cst.Module,
        source: str | None = None,
        begins: Sequence[tuple[int, bool]] = (),
        modernised: tuple[str, ...] = (),
        links: Links = ALONE,
    ) -> None:
        self.links = links
        """What the other files of its project say about it."""
        self.tree = Tree(module, source, begins)
        self.modernised = modernised
        """What was Python 2 in the text before it was read, in words."""
        self._marks: dict[bool, Marks] = {}

    def linked(self, links: Links) -> Script:
        """The same script with other links. Its tree and its names, which no other file can change, are not read
        again."""
        again = Script.__new__(Script)
        again.links, again.tree, again.modernised, again._marks = links, self.tree, self.modernised, {}
        again.__dict__["names"] = self.names
        return again

    def let_go(self) -> None:
        """Give all facts up. They hold each other; cut apart they are gone at once, and no garbage collector has to go
        through a hundred thousand nodes to find that out. The script is of no use afterwards."""
        if "names" in self.__dict__:
            for scope in self.names.all_scopes():
                scope.names.clear()
        self.__dict__.clear()

    @property
    def module(self) -> cst.Module:
        return self.tree.module

    @cached_property
    def names(self) -> Names:
        """Scopes, bindings and qualified names."""
        return Names(self.tree)

    @cached_property
    def roles(self) -> Roles:
        """What expressions are in training."""
        return Roles(self.tree, self.names, self.links)

    @cached_property
    def loops(self) -> Loops:
        """Backwards, steps and batch loops."""
        return Loops(self.tree, self.names, self.roles, self.links)

    @cached_property
    def loaders(self) -> Loaders:
        """Data loaders, and which loops get device loaders."""
        return Loaders(self)

    @cached_property
    def options(self) -> Options:
        """Command-line options."""
        return Options(self.tree, self.names)

    @cached_property
    def scripted(self) -> Scripted:
        """What TorchScript compiles."""
        return Scripted(self)

    @cached_property
    def accelerator(self) -> Accelerator:
        """Which expressions mean the device the script trains on."""
        return Accelerator(self)

    @cached_property
    def device_positions(self) -> DevicePositions:
        """Where a device is used, and the expressions that make it."""
        return DevicePositions(self)

    @cached_property
    def on_cpu(self) -> bool:
        """Whether nothing in the script asks for an accelerator: it is not to be moved to one."""
        return not asks_for_accelerator(self)

    def marks(self, *, scaled: bool) -> Marks:
        """Where the migrated script executes its graph; `scaled`: the target steps through a gradient scaler."""
        if scaled not in self._marks:
            self._marks[scaled] = Planner(self, scaled=scaled).plan
        return self._marks[scaled]

    @cached_property
    def device_choices(self) -> DeviceChoices:
        """Branches that only choose a device."""
        return DeviceChoices(self)

    @cached_property
    def placements(self) -> Placements:
        """The branches that place one model in several ways."""
        return Placements(self)

    @cached_property
    def model_moves(self) -> ModelMoves:
        """Where models move to the device."""
        return ModelMoves(self)

    @cached_property
    def cells(self) -> Cells:
        """The cells of a notebook; none in a script."""
        return Cells(self.tree)

    @cached_property
    def launch(self) -> LaunchFacts:
        """How the processes are started. A notebook is one process, also where it drives several GPUs."""
        joins = bool(self.links.joins) or self.links.joined
        handed = self.tree.calls_numbered(self.links.spawns)
        facts = read_launch(self.tree, self.names, joins, self.links.drives, handed)
        return facts.in_notebook() if self.cells else facts

    @cached_property
    def ranks(self) -> Ranks:
        """Which expressions count the processes."""
        return Ranks(self.tree, self.names, self.roles, self.launch, self.options)

    @cached_property
    def group(self) -> ProcessGroup:
        """The process group, and what goes with it."""
        return ProcessGroup(self.tree, self.names, self.roles, self.ranks)

    @cached_property
    def frameworks(self) -> tuple[Use, ...]:
        """Libraries that run the training or split the model, if the script stands on one."""
        return read_frameworks(self.tree, self.names)

    @cached_property
    def estimators(self) -> Estimators:
        """The SageMaker jobs the script launches; empty where it does not import sagemaker."""
        return Estimators(self.tree, self.names)

    @property
    def is_driven(self) -> bool:
        """Whether a library moves the model, wraps the loaders and steps the optimizer for the script."""
        return any(use.library.stands is Stands.DRIVES for use in self.frameworks)

    @property
    def distributed(self) -> bool:
        """Whether the migrated script runs in several processes, by itself or under another file of its project."""
        return self.launch.several or (self.links.several and not self.cells)

    @property
    def data_parallel(self) -> bool:
        """Whether one process drove several GPUs by `DataParallel`: this script, or one that imports it."""
        return self.launch.kind is Launch.DATA_PARALLEL or self.links.parallel

    # --- short forms codemods use all the time --------------------------------------------------------------------

    def calls(self, *names: str) -> list[cst.Call]:
        """Calls of library objects by qualified name (`"torch.cuda.*"` for all under it), in source order."""
        return self.names.calls(*names)

    def qualified(self, node: cst.CSTNode | None) -> str | None:
        """The public dotted name of the library object an expression means."""
        return self.names.qualified(node)

    def value(self, node: cst.BaseExpression | None, role: Role) -> Value | None:
        """What an expression is, in the given role."""
        return self.roles.value(node, role)

    def is_a(self, node: cst.BaseExpression | None, role: Role) -> bool:
        return self.roles.is_a(node, role)

    def is_main_guard(self, node: cst.CSTNode | None) -> bool:
        """`if __name__ == "__main__":`"""
        return (
            isinstance(node, cst.If)
            and isinstance(node.test, cst.Comparison)
            and isinstance(node.test.left, cst.Name)
            and node.test.left.value == "__name__"
        )

    @cached_property
    def uses_torch(self) -> bool:
        """Whether the script imports torch in any form, or trains all the same."""
        imported = "torch" in self.names.modules or any(m.partition(".")[0] == "torch" for m in self.names.module.stars)
        if self.links.accelerated and ".cuda(" in self.tree.source:
            return True  # of a program that trains on one: what moves there is torch's
        if imported or "backward" not in self.tree.source:
            return imported
        steps = self.loops.steps
        if self.defines_backward or not steps or not self.loops.backwards:
            return False
        if "cuda" in self.tree.source or "device" in self.tree.source:
            return True  # a part of a trainer in another file
        own = any(map(_steps_by_itself, self.tree.all(cst.ClassDef)))
        return not own and not all(_is_of_another_library(step.value) for step in steps)

    @property
    def defines_backward(self) -> bool:
        """Whether something of the script's own is called `backward`."""
        return any(function.name.value == "backward" for function in self.tree.all(cst.FunctionDef))


def _steps_by_itself(class_: cst.ClassDef) -> bool:
    """A class without a base whose `step` steps nothing else: an optimizer, or whatever else goes on in steps."""
    methods = [item for item in class_.body.body if isinstance(item, cst.FunctionDef) and item.name.value == "step"]
    calls = (node for method in methods for node in walk(method) if isinstance(node, cst.Call))
    return bool(methods) and not class_.bases and not any(last_name(call) == "step" for call in calls)


def _is_of_another_library(optimizer: Value) -> bool:
    """Whether a file without torch makes what it steps itself: `optim = nn.optim.SGD(...)`, of nobody knows whom."""
    made = optimizer.origin
    return optimizer.of == "by use" and isinstance(made, cst.Assign) and isinstance(made.value, cst.Call)


def read(
    module: cst.Module,
    source: str | None = None,
    begins: Sequence[tuple[int, bool]] = (),
    modernised: tuple[str, ...] = (),
    links: Links = ALONE,
) -> Script:
    """The facts of a parsed script; `source` and `begins`, see `statement_lines`, save finding them out again."""
    return Script(module, source, begins, modernised, links)
