"""What every codemod is: one rewrite, in one file, with its rules, its examples and its docs page in the docstring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import libcst as cst

from codemods.kit import build
from codemods.kit.edits import Edit, Edits
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Stage
from codemods.kit.script import Script
from codemods.kit.targets import Launcher, Target


class Codemod(ABC):
    """Reads the facts of a script and asks for edits. The module's name is the codemod's name.

    The first line of the docstring is the description; the whole docstring is the published page.
    """

    STAGE: Stage
    RULES: tuple[Rule, ...] = ()
    EXAMPLES: tuple[Example, ...] = ()
    NEEDS: tuple[Idiom, ...] = ()
    """Idioms the target must have for this codemod to run."""
    LACKS: tuple[Idiom, ...] = ()
    """Idioms the target must not have: the other half of a pair of codemods that differ in structure."""
    LAUNCHERS: tuple[Launcher, ...] = tuple(Launcher)
    """Ways of being launched this codemod writes for."""
    BY_ALL = False
    """Whether it is about what all processes do, also in files that have nothing to do with an accelerator."""

    EVERYWHERE = False
    """Whether it also reads the files of a program on an accelerator that do not ask for one themselves."""

    def __init__(self, script: Script, edits: Edits) -> None:
        self.script = script
        self._edits = edits

    @classmethod
    def name(cls) -> str:
        """The codemod's name: its module's."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    def serves(cls, target: Target) -> bool:
        """Whether this codemod is for the target."""
        if target.launcher not in cls.LAUNCHERS:
            return False
        return all(map(target.has, cls.NEEDS)) and not any(map(target.has, cls.LACKS))

    @classmethod
    def suits(cls, script: Script) -> bool:
        """Whether this codemod is for the script: where a library runs the training, only CUDA calls are rewritten, and
        the jobs that the script launches."""
        return cls.STAGE in (Stage.DEVICE, Stage.TIDY, Stage.JOB) or not script.is_driven

    @abstractmethod
    def rewrite(self) -> None:
        """Ask for every edit and note this codemod has to make of its script."""

    def review(self, result: cst.Module, text: str) -> None:
        """Say something about the rewritten script, and its text: asked of every codemod once all edits are made."""
        return

    # --- for subclasses -------------------------------------------------------------------------------------------

    @property
    def edits(self) -> Edits:
        return self._edits

    def can(self, idiom: Idiom) -> bool:
        """Whether the target can say this."""
        return self._edits.target.has(idiom)

    def quoted(self, text: str) -> str:
        """The text in the quotes that most strings of the script have."""
        return build.quoted(text, self.script.tree.all(cst.SimpleString))

    def edit(self, rule: str, node: cst.CSTNode, message: str, evidence: Iterable[str] = ()) -> Edit:
        """Begin one change under one of this codemod's rules."""
        return self._edits.edit(self.name(), self.STAGE, self.rule(rule), node, message, evidence)

    def note(self, rule: str, node: cst.CSTNode, message: str, evidence: Iterable[str] = ()) -> None:
        """Say something at a line under one of this codemod's rules."""
        self._edits.note(self.name(), self.rule(rule), node, message, evidence)

    @classmethod
    def rule(cls, id: str) -> Rule:
        """The rule of this codemod with that id. Raises KeyError when it is not declared."""
        for rule in cls.RULES:
            if rule.id == id:
                return rule
        raise KeyError(f"{cls.__name__} declares no rule {id}")
