"""Takes the events of a training process apart into updates: what was done for each step of each optimizer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from migrate.smoke.record import Event


@dataclass(frozen=True)
class Update:
    """The events that led to one optimizer step, and the step itself as the last of them."""

    events: tuple[Event, ...]
    """Of this optimizer or of none in particular, since its step before."""
    scaler_updated: bool
    """Whether the gradient scaler was updated between this step and the next."""
    last: bool = False
    """Whether it is the optimizer's last step: the run may have been stopped right after it."""

    def count(self, kind: str) -> int:
        """How many events of a kind."""
        return sum(event.kind == kind for event in self.events)

    @property
    def last_reduces(self) -> list[Event]:
        """The reductions after the last backward."""
        return joined(event for event in self.events[self.last_backward :] if event.kind == "reduce")

    @property
    def last_backward(self) -> int:
        """The index of the last backward; 0 without one."""
        return max((index for index, event in enumerate(self.events) if event.kind == "backward"), default=0)

    @property
    def reduced(self) -> bool:
        """Whether the gradients that it steps by were reduced; without a backward there are no new ones."""
        return bool(self.last_reduces) or not self.count("backward")

    @property
    def reduced_early(self) -> bool:
        """Whether a reduction comes between two backwards."""
        kinds = [event.kind for event in self.events if event.kind in ("backward", "reduce")]
        return any(kinds[index : index + 2] == ["reduce", "backward"] for index in range(len(kinds)))

    @property
    def explicit_reduce(self) -> bool:
        """Whether the script reduces by itself, not by `xm.optimizer_step`, whose line is that of the step."""
        return any(event.kind == "reduce" and event.site != self.events[-1].site for event in self.events)

    def before(self, first: str, second: str) -> bool:
        """Whether, after the last backward, an event of kind `first` comes before one of kind `second`."""
        kinds = [event.kind for event in self.events[self.last_backward :]]
        return first in kinds and second in kinds[kinds.index(first) :]

    def site_of(self, rule: str) -> str:
        """The line of the event that a rule is about: the first of the kind that its name begins with."""
        kind = rule.split("-", maxsplit=1)[0]
        return next((event.site for event in self.events if event.kind == kind), self.events[-1].site)


def joined(events: Iterable[Event]) -> list[Event]:
    """Events without those that follow one of the same line: a loop that reduces gradient by gradient reduces once."""
    kept: list[Event] = []
    for event in events:
        if not kept or kept[-1].site != event.site:
            kept.append(event)
    return kept


def split(events: Sequence[Event]) -> list[Update]:
    """The updates of all optimizers, in the order of their steps.

    A backward belongs to every optimizer that has not stepped since, an event with an optimizer to that one only.
    """
    steps: dict[int, list[int]] = {}
    for index, event in enumerate(events):
        if event.kind == "step":
            steps.setdefault(event.optimizer, []).append(index)
    updates: dict[int, Update] = {}
    for owner, mine in steps.items():
        for before, index, after in zip([-1, *mine], mine, [*mine[1:], len(events)], strict=False):
            held = (event for event in events[before + 1 : index] if event.optimizer in (owner, -1))
            scaler_updated = any(event.kind == "update" for event in events[index:after])
            updates[index] = Update((*held, events[index]), scaler_updated, last=after == len(events))
    return [updates[index] for index in sorted(updates)]
