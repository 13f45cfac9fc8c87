"""What makes `xla` devices work below the stand-in's names: one layer per process.

`plain` computes with torch's own tensors; `recorded` also records operations and predicts graphs.
"""

from __future__ import annotations

from typing import Any


class Layer:
    """The device side of the stand-in."""

    counts_graphs = True
    """Whether it knows what would be compiled and executed."""

    def install(self, torch: Any, order: dict[str, Any]) -> None:
        """Make the device "xla" usable in this process, for good."""
        raise NotImplementedError

    def mark(self) -> None:
        """End a graph: what `xm.mark_step` and `torch_xla.sync` do."""
        raise NotImplementedError

    def send(self, tensor: Any) -> Any:
        """Upload a tensor as a loader does: the result is device data, with no operation pending."""
        raise NotImplementedError

    def to_host(self, tensors: list[Any]) -> list[Any]:
        """Copies of tensors on the host, computed in one graph: what `xm.save` does."""
        return [tensor.cpu() for tensor in tensors]

    def is_xla(self, tensor: Any) -> bool:
        """Whether a tensor is on an xla device."""
        raise NotImplementedError

    def wait(self) -> None:
        """Return when the device has done all it was given."""

    def counter(self, name: str) -> int | None:
        """The counter of that name as torch_xla.debug.metrics has it; None when nothing counted."""
        raise NotImplementedError

    def counter_names(self) -> list[str]:
        """The names of all counters that counted something."""
        raise NotImplementedError


def choose(order: dict[str, Any]) -> Layer:
    """The layer that the order asks for. Prediction needs all of the program in one process."""
    if order["predict"] and order["workers"] == 1:
        from .recorded import Recorded

        return Recorded()
    from .plain import Plain

    return Plain()
