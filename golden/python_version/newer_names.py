import dataclasses
import itertools
import typing as t
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import torch

Batch: TypeAlias = "tuple[torch.Tensor, int]"
Size = int | None


@dataclass(slots=True, kw_only=True)
class Options:
    rate: float
    warmup: int | None = None
    seed: t.Self | None = dataclasses.field(default=None)


@cache
def parts(model: torch.nn.Module) -> list[torch.Tensor]:
    size: int | None = None
    return [a for a, _ in itertools.pairwise(model.parameters()) if isinstance(a, torch.Tensor | int)]


def chosen(name):
    match name.removesuffix("_optimizer"):
        case "sgd":
            return torch.optim.SGD
    return [a for a, b in zip(name, name, strict=True)]


model = torch.nn.Linear(4, 2).cuda()
