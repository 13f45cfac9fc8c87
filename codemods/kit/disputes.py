"""Contradicting evidence: a parameter that some callers of a project give one thing and others another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a run that finds nothing changed does without LibCST
    from codemods.kit.roles import Role


@dataclass(frozen=True)
class Side:
    """What one call passes for the parameter."""

    what: str
    """In words: "data loader torch.utils.data.DataLoader", "a list"."""
    where: str
    """The call: "main.py:16"."""
    evidence: tuple[str, ...]
    """The chain from the construction to the call."""


@dataclass(frozen=True)
class Dispute:
    """Two callers that contradict each other about a parameter: an edit that is right for one may break the other."""

    role: Role
    """What an edit would take the parameter for."""
    one: Side
    """A caller that passes such a thing."""
    other: Side
    """A caller that passes something else."""
    averaged: bool = False
    """For an optimizer: whether each call is one step, so that who hands over an optimizer averages before it."""
    handed: bool = False
    """Whether the function is handed it by one that the callers contradict each other about."""

    @property
    def text(self) -> str:
        """Both sides in one phrase."""
        return f"{self.one.what} at {self.one.where} and {self.other.what} at {self.other.where}"

    @property
    def evidence(self) -> tuple[str, ...]:
        """The chains of both."""
        return tuple(f"{side.what}: {' <- '.join(reversed(side.evidence))}" for side in (self.one, self.other))
