"""The training jobs a script launches on SageMaker: its estimators, and what each of their arguments says.

`PyTorch(entry_point="train.py", **settings)`: an argument is found wherever it is written, in the call, in a dictionary
or `dict(...)` that the call unpacks, or behind a variable. `sagemaker` is read by name and never imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from codemods.kit.literals import Literals
from codemods.kit.names import Names
from codemods.kit.settings import UNKNOWN, Entries, Entry
from codemods.kit.tree import Tree

PYTORCH, HUGGINGFACE = "sagemaker.pytorch.PyTorch", "sagemaker.huggingface.HuggingFace"
TENSORFLOW, GENERIC = "sagemaker.tensorflow.TensorFlow", "sagemaker.estimator.Estimator"
MODEL_TRAINER = "sagemaker.modules.train.ModelTrainer"
_SAME = {
    "sagemaker.pytorch.estimator.PyTorch": PYTORCH,
    "sagemaker.huggingface.estimator.HuggingFace": HUGGINGFACE,
    "sagemaker.tensorflow.estimator.TensorFlow": TENSORFLOW,
    "sagemaker.modules.train.model_trainer.ModelTrainer": MODEL_TRAINER,
    "sagemaker.train.ModelTrainer": MODEL_TRAINER,
    "sagemaker.train.model_trainer.ModelTrainer": MODEL_TRAINER,
}
"""Other spellings of a class: the module that defines it, its place in version 3 of the SDK."""
CLASSES = (PYTORCH, HUGGINGFACE, TENSORFLOW, GENERIC, MODEL_TRAINER)
_POSITIONAL = {
    PYTORCH: ("entry_point", "framework_version", "py_version", "source_dir", "hyperparameters", "image_uri",
              "distribution", "compiler_config"),
    HUGGINGFACE: ("py_version", "entry_point", "transformers_version", "tensorflow_version", "pytorch_version",
                  "source_dir", "hyperparameters", "image_uri", "distribution", "compiler_config"),
    TENSORFLOW: ("py_version", "framework_version", "model_dir", "image_uri", "distribution", "compiler_config"),
    GENERIC: ("image_uri", "role", "instance_count", "instance_type"),
}  # fmt: skip
"""The parameters that can be given by position (SageMaker Python SDK 2.257.7)."""
_FIRST_NAMES = {
    **{f"train_{name}": name for name in ("instance_count", "instance_type", "max_run", "max_wait", "volume_size",
                                          "use_spot_instances", "volume_kms_key")},
    "image_name": "image_uri",
}  # fmt: skip
"""The names of version 1 of the SDK that version 2 takes for the new ones; `distributions` it ignores."""


@dataclass(frozen=True, eq=False)
class Argument:
    """One argument of an estimator."""

    keyword: str
    """As it is written: version 1 of the SDK called some of them otherwise."""
    value: cst.BaseExpression
    """The expression as it is written at `node`; a variable is not followed."""
    node: cst.Arg | cst.DictElement | cst.Assign
    """What gives it: an argument of the call or of a `dict(...)`, an item of a dictionary, or `settings["key"] = x`."""
    inline: bool
    """Whether it is in the call itself."""


class Estimator:
    """One call that makes an estimator."""

    def __init__(self, call: cst.Call, name: str, literals: Literals) -> None:
        self.call, self.name, self._literals = call, name, literals
        self.arguments: dict[str, Argument] = {}
        """By keyword, as version 2 of the SDK calls it."""
        self.unsure: dict[str, tuple[Entry, ...]] = {}
        """Keywords that may be given, as they are set in one branch only, with what may give them."""
        self.complete = True
        """Whether there are no arguments but these and the unsure. False where a `**settings` or `*more` cannot be
        followed."""
        self._read(_POSITIONAL.get(name, ()))
        for old, new in _FIRST_NAMES.items():
            if old in self.arguments and self.lacks(new):
                self.arguments[new] = self.arguments.pop(old)

    def _read(self, positional: tuple[str, ...]) -> None:
        count = 0
        for arg in self.call.args:
            if arg.star == "**":
                entries = self._literals.entries(arg.value) or Entries(complete=False)
                for key, entry in entries.by_key.items():
                    self.arguments.setdefault(key, Argument(key, entry.value, entry.node, False))
                self.unsure |= entries.unsure
                self.complete = self.complete and entries.complete
            elif arg.keyword is not None:
                self.arguments[arg.keyword.value] = Argument(arg.keyword.value, arg.value, arg, True)
            elif arg.star or count >= len(positional):
                self.complete = False
            else:
                self.arguments[positional[count]] = Argument(positional[count], arg.value, arg, True)
                count += 1

    @property
    def framework(self) -> str:
        """The name of its class: `PyTorch`."""
        return self.name.rpartition(".")[2]

    def argument(self, keyword: str) -> Argument | None:
        """An argument that is given, as far as it can be seen."""
        return self.arguments.get(keyword)

    def lacks(self, keyword: str) -> bool:
        """Whether an argument is certainly not given."""
        return self.complete and keyword not in self.arguments and keyword not in self.unsure

    def literal(self, keyword: str) -> Any:
        """The plain value of an argument: None when it is not given, UNKNOWN, whole or in parts, for what the source
        does not decide."""
        argument = self.argument(keyword)
        if argument is None:
            return None if self.lacks(keyword) else UNKNOWN
        return self._literals.value(argument.value)

    def text(self, keyword: str) -> str | None:
        """An argument that is known to be a string; None for anything else."""
        found = self.literal(keyword)
        return found if isinstance(found, str) else None

    def number(self, keyword: str) -> int | None:
        """An argument that is known to be an integer; None for anything else."""
        found = self.literal(keyword)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    def candidates(self, keyword: str) -> list[cst.BaseExpression]:
        """Every expression an argument may have its value from, through variables, choices and branches; empty when it
        is not given."""
        argument = self.argument(keyword)
        given = [argument.value] if argument is not None else [entry.value for entry in self.unsure.get(keyword, ())]
        return [candidate for value in given for candidate in self._literals.candidates(value)]

    def values(self, keyword: str) -> list[Any]:
        """The plain value of each candidate of an argument."""
        candidates, argument = self.candidates(keyword), self.argument(keyword)
        if argument is not None and len(candidates) == 1:
            return [self._literals.value(argument.value)]  # with what a dictionary got after it was made
        return [self._literals.value(each) for each in candidates]

    def items(self, keyword: str) -> Entries | None:
        """The keys of an argument that is a dictionary, as `hyperparameters`; None when it is not given or cannot be
        followed."""
        argument = self.argument(keyword)
        return self._literals.entries(argument.value) if argument is not None else None


class Estimators:
    """The estimators of one script. Reading them costs nothing where `sagemaker` is not imported."""

    def __init__(self, tree: Tree, names: Names) -> None:
        self._tree, self._names = tree, names
        self.literals = Literals(tree, names)
        self.calls = tuple(self._read()) if "sagemaker" in names.modules else ()
        """In source order."""

    def _read(self) -> Iterator[Estimator]:
        for call in self._names.calls("sagemaker.*"):
            name = _public(self._names.qualified(call.func))
            if name in CLASSES:
                yield Estimator(call, name, self.literals)

    def __iter__(self) -> Iterator[Estimator]:
        return iter(self.calls)

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def subclasses(self) -> list[cst.ClassDef]:
        """Classes of the script that are made from an estimator: their arguments are given in another place."""
        if "sagemaker" not in self._names.modules:
            return []
        return [
            found
            for found in self._tree.all(cst.ClassDef)
            if any(_public(self._names.qualified(base.value)) in CLASSES for base in found.bases)
        ]

    def users(self, node: cst.CSTNode) -> list[Estimator]:
        """The estimators that an argument, dictionary item or expression is an argument of, through variables too."""
        return [each for each in self.calls if self._gets(each, node)]

    def _gets(self, estimator: Estimator, node: cst.CSTNode) -> bool:
        if any(given.node is node for given in estimator.arguments.values()):
            return True
        return any(node in estimator.candidates(keyword) for keyword in (*estimator.arguments, *estimator.unsure))


def _public(name: str | None) -> str:
    return _SAME.get(name or "", name or "")
