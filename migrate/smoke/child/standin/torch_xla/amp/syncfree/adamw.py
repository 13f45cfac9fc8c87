"""torch_xla.amp.syncfree.adamw: AdamW that leaves a step out on the device."""

from __future__ import annotations

from typing import Any

import torch
from tc_migrate_child.standin.selecting import check_scalar, step_by_adam


class AdamW(torch.optim.AdamW):
    """torch.optim.AdamW; with `found_inf` the step is taken only where that is 0."""

    @torch.no_grad()
    def step(self, closure: Any = None, found_inf: Any = None) -> Any:
        if found_inf is None:
            return super().step(closure=closure)
        loss = check_scalar(found_inf, closure)
        step_by_adam(self, found_inf, decoupled=True)
        return loss
