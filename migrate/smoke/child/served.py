"""What computed in this process, asked at its end: a report is to say what ran, not what was meant to."""

from __future__ import annotations

import sys
from typing import Any


def describe(torch: Any, order: dict[str, Any]) -> dict[str, Any]:
    """The device's name, and the most bytes of a GPU that were taken."""
    if order["accelerator"] != "cuda":
        return {"device": "cpu", "memory": 0}
    if order["backend"] == "torch_xla":
        return describe_xla()
    return {"device": torch.cuda.get_device_name(), "memory": torch.cuda.max_memory_allocated()}


def describe_xla() -> dict[str, Any]:
    """Of a real torch_xla. It says "CPU", "GPU" or "CUDA"."""
    model: Any = sys.modules.get("torch_xla.core.xla_model")
    if model is None:
        return {"device": "", "memory": 0}
    try:
        device = model.xla_device()
        kind = str(model.xla_device_hw(device))
        if kind == "CPU":
            return {"device": "cpu", "memory": 0}
        return {"device": kind, "memory": taken(model.get_memory_info(device))}
    except Exception:  # a client that is shut down, or that does not know
        return {"device": "", "memory": 0}


def taken(told: dict[str, int]) -> int:
    """The bytes taken: the most ever from 2.4 on, those of now before."""
    if "kb_total" in told:
        return (told["kb_total"] - told["kb_free"]) << 10
    return told.get("peak_bytes_used") or told.get("bytes_used", 0)
