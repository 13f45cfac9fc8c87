"""torch_xla.amp.grad_scaler: loss scaling whose decisions stay on the device.

The scale, its growth and whether a gradient was not finite are tensors. Only a step of an optimizer that cannot take
`found_inf` reads one of them: it ends the graph first, as torch_xla does.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch
import torch_xla.core.xla_model as xm


class GradScaler(torch.cuda.amp.GradScaler):
    """In place of torch.cuda.amp.GradScaler, whose kernels are for GPUs."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
        use_zero_grad: bool = False,
    ) -> None:
        self._enabled, self.use_zero_grad = enabled, use_zero_grad
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._growth_factor, self._backoff_factor, self._growth_interval = (
            growth_factor,
            backoff_factor,
            growth_interval,
        )
        self._scale: Any = None
        self._growth_tracker: Any = None
        self._found: dict[int, Any] = {}
        """For each optimizer that was unscaled since the last update: 1 on the device when it met a bad gradient."""
        self._stepped: set[int] = set()

    def _on_device(self, device: Any) -> Any:
        """The scale, made on the device when it is first needed."""
        if self._scale is None:
            self._scale = torch.full((), self._init_scale, dtype=torch.float32, device=device)
            self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32, device=device)
        return self._scale

    def scale(self, outputs: Any) -> Any:
        if not self._enabled:
            return outputs
        if isinstance(outputs, torch.Tensor):
            return outputs * self._on_device(outputs.device)
        return type(outputs)(self.scale(each) for each in outputs)

    def unscale_(self, optimizer: Any) -> None:
        if not self._enabled:
            return
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._found:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if self._scale is None:
            raise AssertionError("Attempted unscale_ but _scale is None.")
        gradients = xm._fetch_gradients(optimizer)
        inverse = self._scale.double().reciprocal().float()
        found = torch.full((), 0.0, dtype=torch.float32, device=self._scale.device)
        with torch.no_grad():
            for gradient in gradients:
                values = gradient.coalesce().values() if gradient.is_sparse else gradient
                found = torch.maximum(found, (~torch.isfinite(values)).any().float())
                values.mul_(inverse)
        self._found[id(optimizer)] = found if gradients else None

    def step(self, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        if not self._enabled:
            return optimizer.step(*arguments, **options)
        if "closure" in options:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        found = self._found[id(optimizer)]
        if found is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        self._stepped.add(id(optimizer))
        if "found_inf" in inspect.signature(optimizer.step).parameters:
            return optimizer.step(*arguments, found_inf=found, **options)
        if self.use_zero_grad:
            for gradient in xm._fetch_gradients(optimizer):
                gradient.nan_to_num_()
                gradient.mul_(1 - found)
            return optimizer.step(*arguments, **options)
        xm._mark()
        return None if found.item() else optimizer.step(*arguments, **options)

    def update(self, new_scale: Any = None) -> None:
        if not self._enabled:
            return
        if self._scale is None:
            raise AssertionError("Attempted update but _scale is None.")
        founds = [each for each in self._found.values() if each is not None]
        if new_scale is not None:
            self._scale.fill_(new_scale) if isinstance(new_scale, float) else self._scale.copy_(new_scale)
        elif not founds:
            raise AssertionError("No inf checks were recorded prior to update.")
        else:
            bad = torch.stack(founds).sum() > 0
            grown = self._growth_tracker + 1
            due = grown == self._growth_interval
            raised = torch.where(due, self._scale * self._growth_factor, self._scale)
            self._scale.copy_(torch.where(bad, self._scale * self._backoff_factor, raised))
            self._growth_tracker.copy_(torch.where(bad | due, torch.zeros_like(grown), grown))
        self._found, self._stepped = {}, set()

    def get_scale(self) -> float:
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def _get_growth_tracker(self) -> int:
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def state_dict(self) -> dict[str, Any]:
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        if not self._enabled:
            return
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)
