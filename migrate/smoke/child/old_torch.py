"""What scripts for torch 0.3 and older use and no torch of today has, for the original's run alone.

There a loss was a vector of one element and `loss.data[0]` its number; today it has no dimension and cannot be indexed.
A migration writes `.item()`; without this the original of such a script could not be run beside it.
"""

from __future__ import annotations

import functools
from typing import Any


def install(torch: Any) -> None:
    """Let `[0]` of a tensor without dimensions give its number, or the tensor itself where gradients flow."""
    take = torch.Tensor.__getitem__

    @functools.wraps(take)
    def take_number(self: Any, index: Any) -> Any:
        if type(index) is int and index == 0 and self.dim() == 0:
            return self if self.requires_grad else self.item()
        return take(self, index)

    torch.Tensor.__getitem__ = take_number
