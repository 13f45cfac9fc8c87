"""The tensors of the recorded layer: on `xla:0` for the script, computed at once on the host, every operation recorded.

An `XlaTensor` has the C++ device "meta", since torch without torch_xla refuses "xla", and says `xla:0` in Python. Its
numbers lie in `inner`, a plain tensor; what torch_xla would have pending for it is told by `handle`. Every operator of
aten that meets one comes to `Recording.dispatch`, below autograd.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .graph import Handle

torch: Any = importlib.import_module("torch")

if TYPE_CHECKING:  # Python 3.8 takes it in annotations alone
    Dispatch = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]


class XlaTensor(torch.Tensor):  # type: ignore[misc]
    """A tensor on the predicted XLA device."""

    inner: Any
    handle: Handle
    perform: Dispatch
    """The recording's dispatch; set when the layer is installed."""

    # Subclasses otherwise pass through Python once more for every method.
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, inner: Any, handle: Handle) -> XlaTensor:
        if inner.layout != torch.strided:
            raise NotImplementedError(f"the stand-in predicts nothing for {inner.layout} tensors")
        tensor: XlaTensor = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device="meta",
        )
        tensor.inner, tensor.handle = inner, handle
        return tensor

    def __init__(self, inner: Any, handle: Handle) -> None:
        pass

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return XlaTensor.perform(func, args, kwargs or {})

    device = property(lambda self: torch.device("xla", 0))
    is_meta = is_cpu = is_cuda = property(lambda self: False)
    is_xla = property(lambda self: True)

    @property
    def data(self) -> Any:
        """The tensor without its history."""
        return torch.Tensor.data.__get__(self)

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, XlaTensor):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
                "type."
            )
        self.become(value)

    def become(self, other: XlaTensor) -> None:
        """Take another tensor's shape, dtype and contents."""
        torch.Tensor.data.__set__(self, other)
        self.inner, self.handle = other.inner, other.handle.copy()

    def get_device(self) -> int:
        return 0

    def element_size(self) -> int:
        return self.inner.element_size()  # type: ignore[no-any-return]

    def numpy(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError(
            "can't convert xla:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )

    def __getitem__(self, key: Any) -> Any:
        return torch.Tensor.__getitem__(self, from_lists(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        torch.Tensor.__setitem__(self, from_lists(key), value)

    def tolist(self) -> Any:
        return self.cpu().tolist()

    def __format__(self, form: str) -> str:
        if self.dim() == 0:
            return format(self.item(), form)
        return object.__format__(self, form)

    def type(self, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
        if dtype is None:
            return self.inner.type().replace("torch.", "torch.xla.")
        if isinstance(dtype, str):
            on_host = not dtype.startswith("torch.xla.")
            kind = getattr(torch, dtype.split(".")[-1]).dtype
            return self.to("cpu", kind) if on_host else self.to(kind)
        kind = getattr(dtype, "dtype", dtype)  # torch.FloatTensor is a type of the CPU, torch.float32 is none
        return self.to(kind) if isinstance(dtype, torch.dtype) else self.to("cpu", kind)

    def new_tensor(self, data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
        result = torch.as_tensor(data, dtype=dtype or self.dtype).clone().to(device or self.device)
        return result.requires_grad_(requires_grad)

    def new(self, *arguments: Any, **options: Any) -> Any:
        made = torch.tensor(0, dtype=self.dtype).new(*arguments, **options)
        return made.to(self.device)

    def data_ptr(self) -> int:
        return self.inner.data_ptr()  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user support the deepcopy protocol at the moment"
            )
        twin = self.detach().clone()
        twin = torch.nn.Parameter(twin) if isinstance(self, torch.nn.Parameter) else twin
        twin.requires_grad_(self.requires_grad)
        if self.grad is not None:
            twin.grad = copy.deepcopy(self.grad, memo)
        own = ("inner", "handle", "_is_param")
        twin.__dict__.update(
            {name: copy.deepcopy(value, memo) for name, value in vars(self).items() if name not in own}
        )
        memo[id(self)] = twin
        return twin

    def __reduce_ex__(self, protocol: Any) -> Any:
        values = self.detach().cpu()
        if hasattr(torch._utils, "_rebuild_device_tensor_from_cpu_tensor"):  # torch 2.5 and later
            rebuild, contents = torch._utils._rebuild_device_tensor_from_cpu_tensor, values
        else:
            rebuild, contents = torch._utils._rebuild_device_tensor_from_numpy, values.numpy()
        return rebuild, (contents, self.dtype, "xla:0", self.requires_grad)


def from_lists(key: Any) -> Any:
    """An index with its lists made tensors: torch would make them on the device meta, without numbers."""
    if isinstance(key, list) and not any(isinstance(item, (slice, torch.Tensor, type(None))) for item in key):
        return torch.tensor(key, dtype=None if key else torch.long)
    if isinstance(key, tuple):
        return tuple(from_lists(item) for item in key)
    return key
