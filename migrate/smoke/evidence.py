"""What a comparison rests on: of each kind of value how many were compared, of how many that the original has.

Two runs in which nothing could be compared do not differ either. A verdict therefore carries what it rests on, and
where that is too little nothing is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from migrate.smoke.record import Worker

ENOUGH = 3
"""Steps, losses and gradients to be compared, where the original has as many: an error shows in the second step at
the earliest, since the first loss is computed before anything was trained."""

NAMES = {
    "steps": "optimizer steps",
    "gradients": "gradient norms",
    "parameters": "final parameters",
    "buffers": "buffers",
    "optimizer_state": "values of the optimizers' state",
    "schedulers": "values of the schedulers' state",
    "copies": "values of copies of the model",
    "files": "files written",
    "printed": "printed lines with figures",
}


@dataclass(frozen=True)
class Share:
    """How many values of one kind were compared, of how many."""

    compared: int = 0
    of: int = 0

    @property
    def enough(self) -> bool:
        """Whether these say something."""
        return self.compared >= min(ENOUGH, self.of)

    def __str__(self) -> str:
        return f"{self.compared} of {self.of}"


@dataclass(frozen=True)
class Evidence:
    """What was compared; of several ranks the least of them."""

    steps: Share = Share()
    """Optimizer steps of which a loss was compared."""
    losses: Share = Share()
    gradients: Share = Share()
    """Norms; 0 of 0 where the gradients of several ranks stand against one process, which do not average."""
    parameters: Share = Share()
    """Final parameters; none of a training that is chaotic."""
    buffers: Share = Share()
    """Final buffers, such as the statistics of batch norms, on rank 0: DDP overwrites those of the others."""

    optimizer_state: Share = Share()
    """Values that the optimizers remember, and their options."""
    schedulers: Share = Share()
    copies: Share = Share()
    """Values of copies of the model, such as moving averages; of one process alone."""
    files: Share = Share()
    """Files that the script wrote, by their contents where they can be read."""
    printed: Share = Share()
    """Printed lines with figures; of one process alone."""

    idle: bool = False
    """Whether every gradient of the original was zero: it trains nothing that could differ."""

    @property
    def lacks(self) -> tuple[str, ...]:
        """Why this proves nothing, one sentence each; empty when it is enough."""
        if self.idle:
            return ("nothing was trained: every gradient of the original is zero",)
        if not self.losses.compared:
            return ("nothing was compared: no loss of the two runs stands against another",)
        judged = (("optimizer steps", self.steps), ("losses", self.losses), ("norms of gradients", self.gradients))
        few = [
            f"too little was compared: {share} {name}; --strict compares further"
            for name, share in judged
            if not share.enough
        ]
        return (*few, *self.left_out)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What is left behind and could not be compared at all, one sentence for each kind."""
        kinds = ("parameters", "buffers", "optimizer_state", "schedulers", "copies")
        shares = {kind: getattr(self, kind) for kind in kinds}
        return tuple(
            f"not compared: {share} {NAMES[kind]}" for kind, share in shares.items() if share.of and not share.compared
        )

    def __str__(self) -> str:
        """`8 of 8 optimizer steps, 8 of 8 losses, ...`; what the original has none of is left out."""
        return ", ".join(f"{share} {NAMES.get(name, name)}" for name, share in self.shares() if share.of)

    def shares(self) -> Iterator[tuple[str, Share]]:
        """Each kind by its name."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ((name, value) for name, value in values if isinstance(value, Share))


def least(all_ranks: list[Evidence]) -> Evidence:
    """What holds for every rank: the smallest share of each kind; of buffers rank 0's, the first."""
    kinds = ("steps", "losses", "gradients", "parameters", "optimizer_state", "schedulers", "copies")
    smallest = {
        kind: min((getattr(each, kind) for each in all_ranks), key=lambda share: share.compared - share.of)
        for kind in kinds
    }
    return Evidence(**smallest, buffers=all_ranks[0].buffers, idle=all(each.idle for each in all_ranks))


def gather(left: Worker, right: Worker, losses: int, gradients: int, ends: Mapping[str, Share]) -> Evidence:
    """The evidence of one process against another: how many losses and gradients were compared, and what they left."""
    steps = {step for step, _ in left.losses[:losses]}
    done = left.steps[0] if left.steps else 0
    unjudged = {"parameters": Share(0, len(left.parameters)), "buffers": Share(0, len(left.buffers))}
    return Evidence(
        Share(min(len(steps), done), done),
        Share(losses, len(left.losses)),
        Share(gradients, len(left.gradients) if right.gradients else 0),
        **(unjudged | dict(ends)),
        idle=bool(left.gradients) and not any(left.gradients),
    )
