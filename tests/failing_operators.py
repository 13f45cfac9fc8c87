"""Measures which of torch's operators fail on torch_xla: `python -m tests.failing_operators [--version 2.9]`.

In the environments with a real torch_xla it calls torch's operators, tensor methods and layers, each in a process of
its own: with torch's own samples of arguments, and what has none with arguments that the CPU takes; forward and
backward, and with what it gives transposed. What works on the CPU and fails on XLA, or gives something else there, is
kept, by version, with what happens, in `codemods/kit/data/failing_operators.json`. 1.x is not on PyPI: for it stands
what fails on 2.1 without functionalization, which 1.x does not have, if it fails with it too or is a view that the
host cannot make. Takes a quarter of an hour.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import types
import unittest
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FACTS = ROOT / "codemods" / "kit" / "data" / "failing_operators.json"
RUNS = {"1.x": ("2.1", "1"), "2.1": ("2.1", "0"), "2.9": ("2.9", "0")}
"""What is measured, in this order: with which torch_xla, and whether without functionalization."""
SAMPLES, SECONDS = 4, 60
_SKIPPED = re.compile(
    r"backward|share_memory|cuda|xpu|ipu|hpu|mtia|storage|^set_|map_?$|pin_memory|sparse|record|rename|align|refine|quant|"
    r"fbgemm|mkldnn|cudnn|miopen|data_ptr|register|^rand|^normal|empty|subclass|retain|apply|^to_|save|load|seed|compile|"
    r"vmap|fork|wait|import|init|parse|dlpack|file|buffer|export|nested|tensor$|^is_|^get_|^has_|^_|^can_|^are_|obj$|^typ|lobpcg"
)
"""What has to do with other devices, storages, files, or a generator, and is no operator."""
_KNOWN = frozenset(("numpy", "chalf", "nn.CrossEntropyLoss", "nn.functional.avg_pool2d"))
"""A read on the host, a type that nobody trains with, and what has unusual samples: no batch, a divisor of its own."""
_DRAWN = re.compile(
    r"bernoulli|exponential|normal|uniform|rand|dropout|rrelu|gumbel|fractional|attention|multinomial|cauchy|poisson|"
    r"geometric|svd|qr|eig|lowrank|slogdet|inv_ex|byte|complex|as_strided"
)
"""What draws, has several right results, or shares memory in its samples: its values are not compared."""

_OTHER = "gives other values"
_VIEW = "appears to be a view operator"

Call = Callable[[Any], Any]
"""Makes its arguments, gives them to a function that moves them, and returns what comes of them."""


def main() -> None:
    """Measure each of the versions asked for in its environment, and keep it."""
    from migrate.smoke.environments import provision
    from tests.measure_operators import samples_environment

    wanted = [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == "--version"] or list(RUNS)
    for run in wanted:
        version, disabled = RUNS[run]
        variables = {**os.environ, "PJRT_DEVICE": "CPU", "OMP_NUM_THREADS": "1"}
        variables["XLA_DISABLE_FUNCTIONALIZATION"] = disabled
        command = [str(provision(version).python), __file__, "--here"]
        with samples_environment() as folder:
            variables["PYTHONPATH"] = folder
            told = subprocess.run(command, env=variables, text=True, check=True, stdout=subprocess.PIPE).stdout
        found = dict(line.split("\t", 1) for line in told.splitlines() if "\t" in line)
        kept = json.loads(FACTS.read_text(encoding="utf-8")) if FACTS.exists() else {}
        kept[run] = {name: found[name] for name in sorted(found) if name not in _KNOWN}
        kept["1.x"] = {name: how for name, how in kept["1.x"].items() if _VIEW in how or name in kept.get("2.1", found)}
        FACTS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


# --- inside of an environment -----------------------------------------------------------------------------------------


def measure() -> None:
    """Print each operator that fails, and how."""
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase, ACCEPT=False))  # type: ignore[arg-type]
    warnings.filterwarnings("ignore")
    for name, calls in _everything():
        outcomes = list(_outcomes(calls))
        right = ("runs", _OTHER) if _DRAWN.search(name) else ("runs",)
        failed = Counter(outcome for outcome in outcomes if outcome not in right)
        if failed:
            some = f"{failed.total()} of {len(outcomes)}: " if failed.total() < len(outcomes) else ""
            print(f"{name}\t{some}{failed.most_common(1)[0][0]}", flush=True)
        print(f"{name}: {len(outcomes)}", file=sys.stderr, flush=True)


def _outcomes(calls: list[Call]) -> Iterator[str]:
    """What comes of each call on XLA, of those that work on the CPU. A child makes them, and another after a crash."""
    import torch_xla.core.xla_model as xm

    at = 0
    while at < len(calls):
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            signal.alarm(SECONDS)
            xm.xla_device()  # before the first backward, which counts the devices
            for call in calls[at:]:
                os.write(writer, f"{_outcome(call)}\n".encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, errors="replace") as lines:
            told = [line.rstrip("\n") for line in lines]
        status = os.waitpid(child, 0)[1]
        yield from (outcome for outcome in told if outcome)
        at += len(told)
        if status:
            yield "does not end" if os.WTERMSIG(status) == signal.SIGALRM else "ends the process"
            at += 1


def _outcome(call: Call) -> str:
    """How a call ends on XLA; nothing if it fails on the CPU already."""
    import torch_xla.core.xla_model as xm

    try:
        expected = _used(call("cpu"))
    except Exception:
        return ""
    try:
        found = _used(call(xm.xla_device()))
    except Exception as error:
        return re.sub(r"\s+", " ", f"{type(error).__name__}: {error}")[:100].strip()
    return "runs" if _same(expected, found) else _OTHER


def _same(one: list[Any], other: list[Any]) -> bool:
    """Whether tensors are equal, as far as precision and the choice of a type go."""
    import torch

    if [each.shape for each in one] != [each.shape for each in other]:
        return False
    pairs = [(a.to(b.dtype) if b.is_complex() else a.double(), b if b.is_complex() else b.double()) for a, b in
             zip(one, other, strict=True)]  # fmt: skip
    return all(torch.allclose(a, b, rtol=1e-2, atol=1e-2, equal_nan=True) for a, b in pairs)


def _used(result: Any) -> list[Any]:
    """Read a result, its transpose and its gradients on the host; the result."""
    import torch
    from torch.utils import _pytree as pytree

    tensors = [one for one in pytree.tree_flatten(result)[0] if isinstance(one, torch.Tensor)]
    turned = [one.transpose(0, -1) + 0 if one.dim() > 1 and one.is_floating_point() else one for one in tensors]
    values = [one.detach().cpu() for one in turned]
    wanted = [one for one in tensors if one.requires_grad and (one.is_floating_point() or one.is_complex())]
    if wanted:
        sum((one.real if one.is_complex() else one).sum() for one in wanted).backward()
    return values


def _moved(values: Any, device: Any) -> Any:
    """Nested values with their tensors on a device, as they come out of another operator there."""
    import torch
    from torch.utils import _pytree as pytree

    def one(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return device if value == "the device" else value
        leaf = value.detach().clone().to(device).requires_grad_(value.requires_grad)
        return leaf * 1 if leaf.is_floating_point() else leaf

    return pytree.tree_map(one, values)


def _everything() -> Iterator[tuple[str, list[Call]]]:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    sampled = set()
    for operator in op_db:
        sampled |= {operator.name, operator.name + "_", *(alias.name for alias in operator.aliases)}
        yield from _of_samples(operator)
    yield from _of_layers()
    spaces = {"": torch.Tensor, "torch.": torch, "nn.functional.": torch.nn.functional, "fft.": torch.fft,
              "linalg.": torch.linalg, "special.": torch.special}  # fmt: skip
    for space, holder in spaces.items():
        for name in dir(holder):
            known = sampled & {name, name.rstrip("_") + "_", space + name} or _SKIPPED.search(name)
            if not known and callable(getattr(holder, name)) and not isinstance(getattr(holder, name), type):
                calls = [_with(getattr(holder, name), given) for given in _ARGUMENTS]
                yield (name if space == "torch." else space + name), calls


_ARGUMENTS = ("", "2.0", "1", "0, 1", "x + 1", "x + 1, x + 2", "k", "0, k, x", "0, k, 2.0", "k, x", "0.2, 0.8",
              "(3, 3)", "'the device'", "[x, x]", "x > 0, 2.0", "x > 0, x")  # fmt: skip
"""What is tried where torch has no samples, after a square matrix `x` of three; `k` are three indexes."""


def _with(function: Any, given: str) -> Call:
    import torch

    def call(device: Any) -> Any:
        x = torch.linspace(-1, 1, 9).reshape(3, 3)
        arguments = eval(f"({given},)" if given else "()", {"x": x.clone(), "k": torch.arange(3)})
        return function(*_moved((x, *arguments), device))

    return call


def _of_samples(operator: Any) -> Iterator[tuple[str, list[Call]]]:
    import torch

    real = next((one for one in (torch.float32, torch.int64, torch.bool) if one in operator.dtypes), None)
    for dtype in (real, torch.complex64):
        if dtype in operator.dtypes:
            variant = f"{operator.variant_test_name}{' complex' if dtype is torch.complex64 else ''}".strip()
            yield from _of_dtype(operator, dtype, f" {variant}" if variant else "")


def _of_dtype(operator: Any, dtype: Any, variant: str) -> Iterator[tuple[str, list[Call]]]:
    try:
        gradients = operator.supports_autograd and dtype.is_floating_point
        samples = list(operator.sample_inputs("cpu", dtype, requires_grad=gradients))
    except Exception:
        return
    usual = [one for one in samples if not hasattr(one.input, "dim") or (one.input.dim() and one.input.numel())]
    samples = usual[:: max(1, len(usual) // SAMPLES)][:SAMPLES]  # no numbers in a tensor's dress, nothing empty

    def call(run: Any, sample: Any) -> Call:
        return lambda device: run(_moved(sample.input, device), *_moved(sample.args, device),
                                  **_moved(sample.kwargs, device))  # fmt: skip

    if operator.op is not None:
        yield operator.name + variant, [call(operator.op, sample) for sample in samples]
    if operator.inplace_variant is not None:
        yield f"{operator.name}_{variant}", [call(operator.inplace_variant, sample) for sample in samples]


def _of_layers() -> Iterator[tuple[str, list[Call]]]:
    import torch
    from torch.testing._internal.common_modules import module_db

    def call(layer: Any, inputs: Any) -> Call:
        made, given = inputs.constructor_input, inputs.forward_input
        return lambda device: layer(*made.args, **made.kwargs).to(device)(
            *_moved(given.args, device), **_moved(given.kwargs, device)
        )

    for entry in module_db:
        try:
            every = entry.module_inputs_func(entry, "cpu", torch.float32, requires_grad=True, training=True)
        except Exception:
            continue
        usual = [one for one in every if one.forward_input is not None]
        samples = usual[:: max(1, len(usual) // SAMPLES)][:SAMPLES]
        yield f"nn.{entry.module_cls.__name__}", [call(entry.module_cls, one) for one in samples]


if __name__ == "__main__":
    measure() if "--here" in sys.argv else main()
