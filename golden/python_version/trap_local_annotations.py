from typing import Optional

import torch


def of(model: "torch.nn.Module | None", flags: Optional[int] = None):
    both: int | None = flags
    sizes: list[int] = []
    return both, sizes


model = torch.nn.Linear(4, 2).cuda()
