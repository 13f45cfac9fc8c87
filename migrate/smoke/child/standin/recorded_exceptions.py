"""Operators that torch_xla treats in a way of its own: copies between host and device, reads, fills, masks.

Each function of `BY_NAME` takes the recording, the operator, its arguments and its options, and gives the result, or
NotImplemented to have it recorded like any other.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .graph import operation
from .recorded_tensor import XlaTensor

if TYPE_CHECKING:
    from .recorded_operators import Operator
    from .recording import Recording

torch: Any = importlib.import_module("torch")


def move(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """`.cpu()`, `.to("cpu")`, print: the value is computed and stays on the device as well."""
    device = options.get("device")
    if device is None or device.type in ("meta", "xla"):
        return NotImplemented
    source = arguments[0]
    recording.book.read(source.handle.current())
    recording.tell("read", operator.name)
    return operator.func(source.inner, *arguments[1:], **options)


def copy_in_place(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """`target.copy_(source)`, also the second half of every `.to(device)`."""
    target, source = arguments[:2]
    if not isinstance(target, XlaTensor):
        recording.book.read(source.handle.current())
        recording.tell("read", operator.name)
        operator.func(target, source.inner, **options)
        return target
    shape = recording.shape_of(target)
    if isinstance(source, XlaTensor):
        target.inner.copy_(source.inner)
        value = source.handle.current()
        if recording.shape_of(source) != shape:
            value = recording.book.pending(operation("convert", None, (value.node,), shape), shape)
        elif recording.profile.uploads_pend:
            value = recording.book.pending(value.node, shape)
    else:
        target.inner.copy_(source)
        widened = source.shape != target.shape and recording.profile.uploads_pend
        value = recording.upload(source.to(target.dtype) if widened else target.inner)
        if widened:
            value = recording.book.pending(operation("expand", None, (value.node,), shape), shape)
    target.handle.write(value)
    return target


def detach(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """The same value without history: no operation."""
    source = arguments[0]
    return XlaTensor(source.inner.detach(), source.handle.copy())


def clone(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """The same value in a storage of its own."""
    inner = operator.func(arguments[0].inner, **options)
    shape = recording.shape_of(inner)
    return recording.tensor(inner, recording.book.pending(arguments[0].handle.current().node, shape))


def read_number(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """`.item()`, `float()`, `if tensor:`. The value is computed and does not stay."""
    recording.counters[operator.base] += 1
    recording.book.execute([arguments[0].handle.current()], keep=False)
    recording.tell("read", operator.name)
    return operator.func(arguments[0].inner)


def all_close(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """`torch.allclose`, which is a comparison and a read."""
    return bool(torch.isclose(*arguments, **options).all())


def fill(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """`zero_` and `fill_` with a number: what was there before plays no part."""
    target = arguments[0]
    number = arguments[1] if len(arguments) > 1 else 0
    if isinstance(number, (torch.Tensor, complex)):
        return NotImplemented
    operator.func(target.inner, *arguments[1:])
    shape = recording.shape_of(target)
    target.handle.write(recording.book.pending(recording.full(shape, number, target.dtype), shape))
    return target


def index(recording: Recording, operator: Operator, arguments: Any, options: Any) -> Any:
    """Indexing by a mask: torch_xla looks for its true elements on the host, an execution of its own."""
    source, places = arguments[0], []
    masks = (torch.bool, torch.uint8)
    if not any(place is not None and place.dtype in masks for place in arguments[1]):
        return NotImplemented
    for place in arguments[1]:
        if place is None or place.dtype not in masks:
            places.append(place)
            continue
        on_device = isinstance(place, XlaTensor)
        if on_device:
            recording.counters["aten::nonzero"] += 1
            recording.book.execute([place.handle.current()], keep=False)
            recording.tell("read", "aten::nonzero")
        found = (place.inner if on_device else place).nonzero().unbind(1)
        places += [recording.tensor(item, recording.upload(item, by_loader=True)) for item in found]
    return recording.perform(operator, (source, places, *arguments[2:]), options)


def unscale_on_host(gradients: Any, found_inf: Any, inverse_scale: Any) -> None:
    """`_amp_foreach_non_finite_check_and_unscale_`, which the CPU has only from torch 2.3 on."""
    for gradient in gradients:
        if not gradient.isfinite().all():
            found_inf.fill_(1.0)
        gradient.mul_(inverse_scale)


def update_scale_on_host(
    scale: Any, tracker: Any, found_inf: Any, growth_factor: float, backoff_factor: float, interval: int
) -> Any:
    """`_amp_update_scale_`, likewise."""
    if found_inf.item():
        scale.mul_(backoff_factor)
        tracker.zero_()
        return scale
    tracker.add_(1)
    if tracker.item() == interval:
        grown = scale * growth_factor
        if grown.isfinite():
            scale.copy_(grown)
        tracker.zero_()
    return scale


BY_NAME: dict[str, Callable[[Recording, Operator, Any, Any], Any]] = {
    "aten::_to_copy": move,
    "aten::copy_": copy_in_place,
    "aten::detach": detach,
    "aten::clone": clone,
    "aten::_local_scalar_dense": read_number,
    "aten::allclose": all_close,
    "aten::zero_": fill,
    "aten::fill_": fill,
    "aten::index": index,
    "aten::index_put": index,
    "aten::index_put_": index,
    "aten::_index_put_impl_": index,
}

ON_HOST: dict[str, Callable[..., Any]] = {
    "aten::_amp_foreach_non_finite_check_and_unscale_": unscale_on_host,
    "aten::_amp_update_scale_": update_scale_on_host,
}
"""Operators that the host cannot compute in every version of torch."""
