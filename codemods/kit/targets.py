"""What a migrated script is written for: a torch_xla version and the way its processes are started."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from enum import Enum

from codemods.kit.phrases import Idiom, Phrase, Version, find_phrase


class Launcher(Enum):
    """Who starts one process for each device."""

    SAGEMAKER = "smtc"
    """The Training Compiler's launcher imports the script and calls its `_mp_fn(index)`; `__main__` does not run."""
    TORCH_XLA = "torch-xla"
    """The script itself, through torch_xla."""


@dataclass(frozen=True)
class Target:
    """One torch_xla version, launched one way. `Target.parse` makes them; two of equal text are equal."""

    name: str
    """As `parse` takes it: `smtc`, `smtc==1.12`, `torch-xla==2.9`."""
    version: Version
    launcher: Launcher
    python: Version
    """The oldest Python the output must parse on."""

    @classmethod
    def parse(cls, text: str) -> Target:
        """The target a user names. A version's third part, case, blanks and `_` for `-` do not matter.

        `smtc` is the newest Training Compiler container and `torch-xla` the newest torch_xla known.
        Raises ValueError, naming the nearest target, when there is none of that name.
        """
        launcher, version = _read(text)
        for target in ALL:
            if target.launcher is launcher and target.version == version:
                return target
        also = _ALSO if (launcher, version) in _OLDER else ""
        raise ValueError(f"unknown target {text!r}; the nearest is {_nearest(text, launcher, version)!r}{also}")

    def phrase(self, idiom: Idiom) -> Phrase:
        """How this target says `idiom`. Raises LookupError when it cannot."""
        phrase = find_phrase(idiom, self.version)
        if phrase is None:
            raise LookupError(f"{self.name} has no {idiom.name} ({idiom.value})")
        return phrase

    def has(self, idiom: Idiom) -> bool:
        """Whether `phrase` has an answer."""
        return find_phrase(idiom, self.version) is not None

    def __str__(self) -> str:
        return self.name


# The oldest Python each runs on. smtc: Python 3.8, that of the 1.11 and 1.12 containers (SageMaker Python SDK 2.257.6,
# image_uri_config), for 1.13 too, as one script serves all three. 2.x: the oldest Python with a torch_xla wheel (PyPI).
_SAGEMAKER = tuple(Target(f"smtc==1.{minor}", (1, minor), Launcher.SAGEMAKER, (3, 8)) for minor in (11, 12))
_TORCH_XLA = tuple(
    Target(f"torch-xla==2.{minor}", (2, minor), Launcher.TORCH_XLA, (3, 8 if minor < 4 else 9 if minor < 8 else 10))
    for minor in range(1, 10)
)
ALL = (*_SAGEMAKER, Target("smtc", (1, 13), Launcher.SAGEMAKER, (3, 8)), *_TORCH_XLA)
"""Every target, oldest first. The last Training Compiler container needs no version in its name."""
_OLDER = tuple((Launcher.SAGEMAKER, (1, minor)) for minor in (9, 10))
"""Containers without a target of their own: nothing but HuggingFace jobs runs in them."""
_ALSO = ": HuggingFace jobs keep their container with torch 1.9 or 1.10 under it, and its scripts run there"


def _read(text: str) -> tuple[Launcher | None, Version | None]:
    """The launcher and version that `text` spells; None for what it does not."""
    match = re.fullmatch(r"([a-z-]+?)(?:==(\d+)\.(\d+)(?:\.\d+)?)?", re.sub(r"\s", "", text).lower().replace("_", "-"))
    if match is None:
        return None, None
    name, major, minor = match.groups()
    launcher = next((each for each in Launcher if each.value == name), None)
    if launcher is None or major:
        return launcher, (int(major), int(minor)) if major else None
    return launcher, max(target.version for target in ALL if target.launcher is launcher)


def _nearest(text: str, launcher: Launcher | None, version: Version | None) -> str:
    if launcher is not None and version is not None:
        # By number: to difflib, 2.10 looks like 2.1.
        own = [target for target in ALL if target.launcher is launcher]
        closest = min(max(version, own[0].version), own[-1].version)
        return next(target.name for target in own if target.version == closest)
    names = [target.name for target in ALL] + [each.value for each in Launcher]
    return difflib.get_close_matches(text.lower(), names, n=1, cutoff=0.0)[0]


SMTC = Target.parse("smtc")
XLA = Target.parse("torch-xla==2.9")
