"""Tensors that autocast makes in low precision: float16 on CUDA, bfloat16 on XLA from torch_xla 2.1, which numpy lacks.

The field `@low` says so, as far as it is known; the types were measured on torch_xla 2.9.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from codemods.kit.meaning import graph
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import Verdict
from codemods.kit.meaning.tensors import lowest
from codemods.kit.meaning.values import ClassValue, Function, Obj, Value

_LAYERS = {
    *("Linear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
    *("MultiheadAttention", "Network"),
}
_WIDE = {"Leaf", "Wide", "BatchNorm2d", "LayerNorm", "GroupNorm", "Embedding", "LSTM", "GRU", "RNN"}
_PRODUCTS = {"matmul", "mm", "bmm", "einsum", "baddbmm", "addmm", "linear", "conv1d", "conv2d", "conv3d"}
_SAME = {
    *("cat", "concat", "stack", "sigmoid", "tanh", "relu", "squeeze", "unsqueeze", "flatten", "reshape", "permute"),
    *("transpose", "clone", "exp", "abs", "mean", "sum", "clamp", "dropout", "gelu", "silu", "interpolate", "chunk"),
    *("hstack", "vstack", "detach", "view", "contiguous", "expand", "repeat", "view_as", "split", "unbind", "t"),
    *("sigmoid_", "relu_", "clamp_", "normalize", "leaky_relu", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d"),
}
_WIDE_IN_AUTOCAST = {"softmax", "log_softmax", "pow", "prod"}
_CONVERTS = {"float", "double", "long", "int", "argmax", "argmin", "topk", "cross_entropy", "mse_loss", "nll_loss"}
_TYPES = ("float16", "bfloat16", None)


def lowers(machine: Machine, *given: Value, enabled: Value = True, dtype: Value = None, **more: Value) -> bool:
    """Whether an autocast of these arguments lowers precision to what a migration makes bfloat16."""
    first = machine.facts.settle(given[0]) if given else None
    if isinstance(first, str) and first not in _TYPES:
        device, dtype, enabled = first, *(*given[1:3], *(dtype, enabled)[len(given) - 1 :])
    else:
        device, enabled = more.get("device_type", "cuda"), given[0] if isinstance(first, bool) else enabled
    dtype = machine.facts.settle(dtype)
    if str(machine.facts.settle(device)).startswith("cpu") or machine.facts.settle(enabled) is False:
        return False
    if machine.cuda:
        return dtype in ("float16", None)
    if not machine.legacy and str(machine.facts.settle(device)).startswith("cuda"):
        graph.happen(machine, "autocast of cuda")
        return False
    return not machine.legacy and dtype in ("bfloat16", None)


def is_on(machine: Machine) -> bool:
    """Whether autocast lowers precision here."""
    return machine.facts.settle(machine.world.fields.get("autocast")) is True


def after_layer(machine: Machine, module: Obj, operands: Iterable[Obj]) -> bool | None:
    """Whether a layer of the library makes a tensor of low precision; None if that is not known."""
    order = module.cls.order if isinstance(module.cls, ClassValue) else ()
    names = {one.name for one in order if isinstance(one, ClassValue) and one.module == "torch.nn"}
    if is_on(machine) and names & _WIDE - {"Leaf"}:
        return False
    if is_on(machine) and names & _LAYERS:
        return True
    return None if "Leaf" in names else lowest(operands)


def after_operation(machine: Machine, name: str, operands: Iterable[Obj]) -> bool | None:
    """Whether an operation of this name makes a tensor of low precision; None if that is not known."""
    last = name.rpartition(".")[2]
    if is_on(machine) and last in _PRODUCTS:
        return True
    if last in _CONVERTS or (last in _WIDE_IN_AUTOCAST and is_on(machine)):
        return False
    return lowest(operands) if last in _SAME | _WIDE_IN_AUTOCAST else None


def for_numpy(machine: Machine, tensor: Obj) -> None:
    """`tensor.numpy()`."""
    low = lowest((tensor,))
    if machine.watcher is not None and low is not None:
        machine.watcher.lower(low)
    taken(machine, (tensor,))


def taken(machine: Machine, tensors: Iterable[Obj]) -> None:
    """NumPy takes tensors."""
    if not machine.cuda and any(lowest((one,)) is True for one in tensors):
        message = "autocast made this bfloat16, which numpy does not have: take .float() of it first"
        graph.say(machine, "what is written runs on torch_xla", Verdict.VIOLATED, message)


def _lowered(machine: Machine, function: Value) -> Value:
    """A function that always runs under autocast."""
    return replace(function, marks=function.marks | {"autocast"}) if isinstance(function, Function) else function


PRIMITIVES: dict[str, Any] = {"lowers": lowers, "lowered": _lowered, "for_numpy": for_numpy}
