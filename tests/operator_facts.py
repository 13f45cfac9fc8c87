"""Asks a real torch_xla how it treats operators; runs inside its environment: `operator_facts.py OUTPUT FROM TO`.

Goes over torch's own samples of its operators, number FROM to TO of the list, forward and backward. Writes JSON:
`fallbacks`, how often each operator was run on the host (by its counter), `built_in`, the arguments whose Python
numbers are compiled in, `takes_host`, the arguments that may be a tensor of the host, and `seen`, in how many samples
each operator was tried. `python -m tests.measure_operators` runs it and keeps the result beside the stand-in.
"""

from __future__ import annotations

import collections
import json
import sys
import types
import unittest
import warnings
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")
# torch's samples import it for the sake of torch's own tests.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))  # type: ignore[arg-type]

import torch  # noqa: E402
import torch_xla.core.xla_model as xm  # noqa: E402
import torch_xla.debug.metrics as metrics  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

DEVICE = xm.xla_device()
SAMPLES = 4
facts: dict[str, collections.Counter[str]] = {
    name: collections.Counter() for name in ("fallbacks", "built_in", "takes_host", "seen")
}


class Log(TorchDispatchMode):
    """Notes the operators of aten that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Any, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.calls.append((func, args, kwargs or {}))
        return func(*args, **(kwargs or {}))


def move(values: Any, device: Any) -> Any:
    """Nested values with their tensors on a device, as leaves that want gradients where they did."""

    def one(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.detach().to(device).requires_grad_(value.requires_grad)

    return pytree.tree_map(one, values)


def compiled() -> int:
    """Graphs compiled so far."""
    return metrics.counter_value("UncachedCompile") or 0


def fallback_counts() -> dict[str, int]:
    """torch_xla's counters of operators run on the host."""
    return {name: metrics.counter_value(name) for name in metrics.counter_names() if name.startswith("aten::")}


def differentiate(result: Any) -> None:
    """Backward through whatever of a result can be differentiated."""
    tensors = [item for item in pytree.tree_flatten(result)[0] if isinstance(item, torch.Tensor)]
    wanted = [item for item in tensors if item.requires_grad and item.is_floating_point()]
    if wanted:
        torch.autograd.backward([item.sum() for item in wanted])


def try_sample(operator: Any, sample: Any) -> None:
    """One call with its backward: on the CPU to see its operators, on XLA to see what falls back."""
    values = (sample.input, sample.args, sample.kwargs)
    host = move(values, "cpu")
    with Log() as log:
        result = operator(host[0], *host[1], **host[2])
        forward = list(log.calls)
        differentiate(result)
    facts["seen"].update({func.name() for func, _, _ in log.calls})
    before = fallback_counts()
    there = move(values, DEVICE)
    differentiate(operator(there[0], *there[1], **there[2]))
    xm.mark_step()
    facts["fallbacks"].update({name for name, count in fallback_counts().items() if count != before.get(name, 0)})
    for func, args, kwargs in forward:
        if func.name() not in tried:
            tried.add(func.name())
            try_numbers(func, args, kwargs)
            try_host(func, args, kwargs)


tried: set[str] = set()


def try_numbers(func: Any, args: Any, kwargs: Any) -> None:
    """Whether other numbers compile other graphs."""
    schema = func._schema.arguments
    for place, argument in enumerate(schema):
        given = args[place] if place < len(args) else kwargs.get(argument.name)
        wrapped = "Tensor" in str(argument.type) and isinstance(given, (int, float)) and not isinstance(given, bool)
        if str(argument.type) not in ("number", "Optional[number]") and not wrapped:
            continue
        began, failed = -1, False
        for step in range(3):
            tensors = [item for item in pytree.tree_flatten(args)[0] if isinstance(item, torch.Tensor)]
            number = 2.3 + 0.3 * step if all(item.is_floating_point() for item in tensors) else 3 + step
            moved, options = list(move(args, DEVICE)), move(kwargs, DEVICE)
            if place < len(args):
                moved[place] = number
            else:
                options[argument.name] = number
            xm.mark_step()
            began = compiled() if step == 1 else began
            try:
                result = func(*moved, **options)
                xm.mark_step()
                del result
            except Exception:
                failed = True
                break
        if not failed and compiled() > began:
            facts["built_in"][f"{func.name()} {argument.name}"] += 1


def try_host(func: Any, args: Any, kwargs: Any) -> None:
    """Which arguments may stay on the host."""
    schema = func._schema.arguments
    tensors = [item for item in pytree.tree_flatten(args)[0] if isinstance(item, torch.Tensor)]
    if len(tensors) < 2:
        return
    for place, value in enumerate(args):
        items = [item for item in pytree.tree_flatten(value)[0] if isinstance(item, torch.Tensor)]
        if not items or len(items) == len(tensors) or any(item.dim() == 0 for item in items):
            continue
        moved = [move(item, "cpu" if index == place else DEVICE) for index, item in enumerate(args)]
        try:
            result = func(*moved, **move(kwargs, DEVICE))
            xm.mark_step()
            del result
        except Exception:
            continue
        facts["takes_host"][f"{func.name()} {schema[place].name}"] += 1


def main() -> None:
    """Go over the samples of one part of the list."""
    output, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    for number, operator in enumerate(op_db[first:last], first):
        print(f"#{number} {operator.name}", flush=True)
        if torch.float32 not in operator.dtypes:
            continue
        try:
            samples = list(operator.sample_inputs("cpu", torch.float32, requires_grad=operator.supports_autograd))
        except Exception:
            continue
        for sample in samples[:: max(1, len(samples) // SAMPLES)][:SAMPLES]:
            try:
                try_sample(operator, sample)
            except Exception as error:
                print(f"{operator.name}: {type(error).__name__}: {str(error)[:100]}", flush=True)
        output.write_text(json.dumps(facts, sort_keys=True), encoding="utf-8")


if __name__ == "__main__":
    main()
