"""torch_xla.amp.syncfree.sgd: SGD that leaves a step out on the device."""

from __future__ import annotations

from typing import Any

import torch
from tc_migrate_child.standin.selecting import check_scalar, choose


class SGD(torch.optim.SGD):
    """torch.optim.SGD; with `found_inf` the step is taken only where that is 0."""

    @torch.no_grad()
    def step(self, closure: Any = None, found_inf: Any = None) -> Any:
        if found_inf is None:
            return super().step(closure=closure)
        loss = check_scalar(found_inf, closure)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._step_one(parameter, group, found_inf)
        return loss

    def _step_one(self, parameter: Any, group: dict[str, Any], found_inf: Any) -> None:
        state = self.state[parameter]
        if "step" not in state:
            state["step"] = torch.zeros_like(found_inf)
        change = -parameter.grad if group["maximize"] else parameter.grad
        if group["weight_decay"]:
            change = change.add(parameter, alpha=group["weight_decay"])
        buffer = state.get("momentum_buffer")
        if buffer is None:
            buffer = state["momentum_buffer"] = torch.clone(parameter.grad).detach()
        if group["momentum"]:
            # The first step that is taken starts the average: before it the buffer counts for nothing.
            later = buffer.mul(group["momentum"]).add(change, alpha=1 - group["dampening"])
            average = torch.where(state["step"] == 0, change, later)
            choose(found_inf, buffer, average)
            change = change.add(average, alpha=group["momentum"]) if group["nesterov"] else average
        choose(found_inf, parameter, parameter.add(change, alpha=-group["lr"]))
        choose(found_inf, state["step"], state["step"] + 1)
