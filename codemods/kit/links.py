"""What the other files of a project say about one script. Without a project there are none."""

from __future__ import annotations

from dataclasses import dataclass, field

from codemods.kit.roles import Role
from codemods.kit.summary import Known

Path = tuple[int, ...]


@dataclass(frozen=True)
class Links:
    """Facts for one file, found in others. Names of other files are spelled as this file's imports spell them."""

    parameters: dict[tuple[str, str], tuple[Known, ...]] = field(default_factory=dict)
    """(qualified name of a function of this file, parameter) -> what other files pass."""
    returned: dict[str, dict[Path, tuple[Known, ...]]] = field(default_factory=dict)
    """What calling a name of another file gives."""
    variables: dict[str, tuple[Known, ...]] = field(default_factory=dict)
    """What a name at the top level of another file holds."""
    attributes: dict[tuple[str, str], tuple[Known, ...]] = field(default_factory=dict)
    """(class of this file, attribute) -> what a base class in another file puts there."""
    results: dict[int, dict[Path, tuple[Known, ...]]] = field(default_factory=dict)
    """(number of a call of this file) -> what it gives, for calls of values that other files make."""
    steps: dict[int, str] = field(default_factory=dict)
    """(number of a call of this file) -> the function of another file that it calls and that steps an optimizer."""
    scaled: frozenset[int] = frozenset()
    """Numbers of the calls of this file that construct an optimizer which another file steps through a scaler."""
    looped: frozenset[str] = frozenset()
    """Functions of this file that step and that loops of other files call: those loops execute the graph."""
    classes: dict[str, Role] = field(default_factory=dict)
    """What instances of a class of another file are."""
    several: bool = False
    """Whether a script that starts several processes imports this file."""
