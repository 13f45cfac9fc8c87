"""Draws random numbers on the host, from torch's one CPU generator, whatever device they are for.

CUDA and XLA have random generators of their own, so the same seed gives other dropout masks and other noise on each.
Installed on both sides, this makes the two trainings comparable number by number: every draw is made contiguous on the
CPU and then moved. On the CPU stand-in for CUDA the move is nothing; on XLA the numbers become an input of the graph,
which adds no graph and no execution.

Left to the device: `native_dropout` called from C++, `rrelu`, fractional pooling, and scripts compiled by torch.jit.
The dropout between the layers of nn.LSTM, nn.GRU and nn.RNN is inside one operator; it is turned off on both sides.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

FACTORIES = ("rand", "randn", "randint", "randperm")
LIKE = {"rand_like": "rand", "randn_like": "randn", "randint_like": "randint"}
seeded: set[str] = set()
"""Which generators the script seeded: "host", "device"."""
drawn: set[str] = set()
"""Which it would draw from if the draws were not made on the host."""

IN_PLACE = ("normal_", "uniform_", "random_", "exponential_", "geometric_", "cauchy_", "log_normal_")


def install(torch: Any) -> None:
    """Replace the functions of torch that draw random numbers."""
    for name in FACTORIES:
        setattr(torch, name, factory(getattr(torch, name)))
    for name, drawn_by in LIKE.items():
        setattr(torch, name, like(torch, getattr(torch, name), getattr(torch, drawn_by)))
    for name in IN_PLACE:
        setattr(torch.Tensor, name, in_place(torch, getattr(torch.Tensor, name)))
    install_distributions(torch)
    install_dropout(torch)


def watch_seeds(torch: Any, side: str) -> None:
    """Note which generators the script seeds. CUDA's is seeded by `torch.manual_seed` too, XLA's is not."""
    both = ("host", "device") if side == "cuda" else ("host",)
    torch.manual_seed = torch.random.manual_seed = watch_seed(torch.manual_seed, *both)
    if side == "cuda":
        for name in ("manual_seed", "manual_seed_all"):
            setattr(torch.cuda, name, watch_seed(getattr(torch.cuda, name), "device"))


def watch_seed(function: Callable[..., Any], *generators: str) -> Callable[..., Any]:
    """A function that seeds, and notes what."""

    @functools.wraps(function)
    def seed(*arguments: Any, **options: Any) -> Any:
        seeded.update(generators)
        return function(*arguments, **options)

    return seed


def note_draw(device: Any) -> None:
    """Note a draw for a device, by any spelling of it; None is the host."""
    drawn.add("host" if device is None or str(device).split(":")[0] == "cpu" else "device")


def factory(function: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.rand` and its like: make the tensor on the host, then move it to the device that was asked for."""
    devices = importlib.import_module("torch.utils._device")

    @functools.wraps(function)
    def draw(*arguments: Any, **options: Any) -> Any:
        device = options.pop("device", None)
        if device is None:
            # Set by `with torch.device("xla"):` and torch.set_default_device.
            device = devices.CURRENT_DEVICE
        note_draw(device)
        gradient = options.pop("requires_grad", False)
        values = function(*arguments, device="cpu", **options)
        moved = values if device is None else values.to(device)
        return moved.requires_grad_() if gradient else moved

    return draw


def like(torch: Any, function: Callable[..., Any], draw: Callable[..., Any]) -> Callable[..., Any]:
    """`torch.randn_like` and its like: by the shape alone, since memory order would change which number goes where."""

    @functools.wraps(function)
    def draw_like(input: Any, *arguments: Any, **options: Any) -> Any:
        options.pop("memory_format", None)
        dtype, device = options.pop("dtype", None) or input.dtype, options.pop("device", None) or input.device
        return draw(*arguments, tuple(input.shape), dtype=dtype, device=device, **options)

    return draw_like


def in_place(torch: Any, method: Callable[..., Any]) -> Callable[..., Any]:
    """`tensor.normal_()` and its like: fill a contiguous tensor on the host and copy it over."""

    @functools.wraps(method)
    def fill(self: Any, *arguments: Any, **options: Any) -> Any:
        note_draw(self.device)
        if self.device.type == "cpu" and self.is_contiguous():
            return method(self, *arguments, **options)
        return self.copy_(method(torch.empty(self.shape, dtype=self.dtype, device="cpu"), *arguments, **options))

    return fill


def install_distributions(torch: Any) -> None:
    """`bernoulli` and `normal` with tensors for parameters: the device's kernels use an algorithm of their own.

    `multinomial` needs nothing: torch_xla runs it on the host, with the host's generator.
    """
    normal = torch.normal

    def bernoulli(input: Any, p: float | None = None, *, generator: Any = None) -> Any:
        draws = torch.rand(tuple(input.shape), device=input.device, generator=generator)
        return (draws < (input if p is None else p)).to(input.dtype)

    def bernoulli_(self: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
        draws = torch.rand(tuple(self.shape), device=self.device, generator=generator)
        return self.copy_(draws < p)

    @functools.wraps(normal)
    def draw_normal(mean: Any, std: Any = 1.0, *size: Any, **options: Any) -> Any:
        given = next((value for value in (mean, std) if isinstance(value, torch.Tensor)), None)
        if given is None:
            return factory(normal)(mean, std, *size, **options)
        shape = torch.broadcast_shapes(getattr(mean, "shape", ()), getattr(std, "shape", ()))
        return mean + std * torch.randn(shape, dtype=given.dtype, device=given.device, **options)

    torch.bernoulli, torch.normal = bernoulli, draw_normal
    torch.Tensor.bernoulli, torch.Tensor.bernoulli_ = bernoulli, bernoulli_


def install_dropout(torch: Any) -> None:
    """Functional dropout in all its forms; nn.Dropout and nn.MultiheadAttention go through these names."""
    functional = torch.nn.functional

    def mask(input: Any, shape: Any, p: float) -> Any:
        note_draw(input.device)
        return (torch.rand(tuple(shape)) >= p).to(device=input.device, dtype=input.dtype)

    def apply(input: Any, noise: Any, inplace: bool) -> Any:
        return input.mul_(noise) if inplace else input * noise

    def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if not training or p == 0:
            return input
        kept = mask(input, input.shape, p)
        return apply(input, kept / (1 - p) if p < 1 else kept, inplace)

    def feature_dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        if not training or p == 0:
            return input
        kept = mask(input, (*input.shape[:2], *(1 for _ in input.shape[2:])), p)
        return apply(input, kept / (1 - p) if p < 1 else kept, inplace)

    def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
        if not training or p == 0:
            return input
        # The values that keep mean and variance after SELU: Klambauer et al., Self-Normalizing Neural Networks, 2017.
        lowest = -1.7580993408473766
        scale = ((1 - p) * (1 + p * lowest**2)) ** -0.5 if p < 1 else 0.0
        kept = mask(input, input.shape, p)
        result = (input * kept + lowest * (1 - kept)) * scale - lowest * p * scale
        return input.copy_(result) if inplace else result

    attend: Any = getattr(functional, "scaled_dot_product_attention", dropout)  # torch 1.x has none

    @functools.wraps(attend)
    def attention(
        query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
        **options: Any,
    ) -> Any:  # fmt: skip
        if not dropout_p:
            return attend(query, key, value, attn_mask, dropout_p, is_causal, **options)
        scale = options.get("scale") or query.shape[-1] ** -0.5
        scores = query @ key.transpose(-2, -1) * scale
        if is_causal:
            attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        if attn_mask is not None:
            bias = torch.zeros_like(scores)
            scores = scores + (
                bias.masked_fill(~attn_mask, float("-inf")) if attn_mask.dtype == torch.bool else attn_mask
            )
        return dropout(scores.softmax(-1), dropout_p) @ value

    functional.dropout = torch.dropout = dropout
    functional.dropout1d = functional.dropout2d = functional.dropout3d = torch.feature_dropout = feature_dropout
    functional.alpha_dropout = torch.alpha_dropout = alpha_dropout
    if attend is not dropout:
        functional.scaled_dot_product_attention = attention
    start = torch.nn.RNNBase.__init__

    def without_dropout(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **options)
        self.dropout = 0.0

    torch.nn.RNNBase.__init__ = without_dropout
