"""The rest of the stand-in for CUDA: what training scripts build on top of it.

GradScaler scales by one (float32 needs no scaling, and powers of two would change no bit); a step whose gradients are
not finite is skipped, as on a GPU. The process group is gloo with whatever world size the script asks for.
"""

from __future__ import annotations

import functools
import os
import sys
from types import ModuleType
from typing import Any

from . import cuda_batch_norm


def install(torch: Any) -> None:
    """Put stand-ins in the place of CUDA's training tools, in this process, for good."""
    install_grad_scaler(torch)
    install_data_parallel(torch)
    if torch.distributed.is_available():
        install_distributed(torch)
    cuda_batch_norm.install(torch)
    install_optimizers(torch)


class GradScaler:
    """torch.cuda.amp.GradScaler that scales by one and keeps its books like the real one."""

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._enabled = enabled
        self._factors = {"growth_factor": growth_factor, "backoff_factor": backoff_factor}
        self._growth_interval = growth_interval
        self._scale, self._growth_tracker = init_scale, 0
        self._unscaled: set[int] = set()
        self._found_infinite = False

    def scale(self, outputs: Any) -> Any:
        """The outputs as they are."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Look for gradients that are not finite. Raises RuntimeError when called twice before `update`, as on CUDA."""
        if not self._enabled:
            return
        if id(optimizer) in self._unscaled:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        self._unscaled.add(id(optimizer))
        self._found_infinite |= not finite(optimizer)

    def step(self, optimizer: Any, *arguments: Any, **options: Any) -> Any:
        """Step the optimizer, unless a gradient is not finite."""
        if self._enabled and not finite(optimizer):
            self._found_infinite = True
            return None
        return optimizer.step(*arguments, **options)

    def update(self, new_scale: Any = None) -> None:
        """Grow or shrink the scale that `get_scale` reports."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif self._found_infinite:
            self._scale, self._growth_tracker = self._scale * self._factors["backoff_factor"], 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale, self._growth_tracker = self._scale * self._factors["growth_factor"], 0
        self._unscaled, self._found_infinite = set(), False

    def get_scale(self) -> float:
        return self._scale if self._enabled else 1.0

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            **self._factors,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        if self._enabled:
            self._scale, self._growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]


def finite(optimizer: Any) -> bool:
    """Whether every gradient of the optimizer's parameters is finite."""
    gradients = (parameter.grad for group in optimizer.param_groups for parameter in group["params"])
    return all(bool(gradient.isfinite().all()) for gradient in gradients if gradient is not None)


def install_grad_scaler(torch: Any) -> None:
    """GradScaler under its two names; torch.cuda.amp's takes no device."""

    class CudaGradScaler(GradScaler):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__("cuda", *arguments, **options)

    torch.cuda.amp.GradScaler = torch.cuda.amp.grad_scaler.GradScaler = CudaGradScaler
    if hasattr(torch.amp, "GradScaler"):
        torch.amp.GradScaler = torch.amp.grad_scaler.GradScaler = GradScaler


def install_data_parallel(torch: Any) -> None:
    """DataParallel over one device, class and function."""
    parallel = torch.nn.DataParallel

    def start(self: Any, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        torch.nn.Module.__init__(self)
        # Without devices its forward calls the module: torch 2.1 nn/parallel/data_parallel.py.
        self.module, self.device_ids, self.output_device, self.dim = module, [], None, dim

    parallel.__init__ = start

    def data_parallel(
        module: Any, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        module_kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        return module(*(inputs if isinstance(inputs, tuple) else (inputs,)), **(module_kwargs or {}))

    torch.nn.parallel.data_parallel = data_parallel


def install_distributed(torch: Any) -> None:
    """torch.distributed on gloo, and DDP of a module that is on the host."""
    distributed = torch.distributed
    join, reduce_all, wait, group = (
        distributed.init_process_group, distributed.all_reduce, distributed.barrier, distributed.new_group,
    )  # fmt: skip

    @functools.wraps(join)
    def init_process_group(backend: Any = None, *arguments: Any, **options: Any) -> Any:
        options.pop("device_id", None)
        return join("gloo", *arguments, **options)

    @functools.wraps(reduce_all)
    def all_reduce(tensor: Any, op: Any = distributed.ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Any:
        mean = op == distributed.ReduceOp.AVG  # gloo has none
        work = reduce_all(tensor, distributed.ReduceOp.SUM if mean else op, group, async_op and not mean)
        if mean:
            tensor.div_(distributed.get_world_size(group))
        return work

    @functools.wraps(group)
    def new_group(*arguments: Any, **options: Any) -> Any:
        return group(
            *arguments, **{key: value for key, value in options.items() if key not in ("backend", "device_id")}
        )

    distributed.init_process_group, distributed.all_reduce, distributed.new_group = (
        init_process_group, all_reduce, new_group,
    )  # fmt: skip
    distributed.barrier = lambda group=None, async_op=False, device_ids=None: wait(group, async_op)
    distributed.is_nccl_available = lambda: True
    wrapper = torch.nn.parallel.DistributedDataParallel
    start = wrapper.__init__

    @functools.wraps(start)
    def wrap(
        self: Any, module: Any, device_ids: Any = None, output_device: Any = None, *rest: Any, **options: Any
    ) -> None:
        start(self, module, None, None, *rest, **options)

    wrapper.__init__ = wrap
    wrapper._passing_sync_batchnorm_handle = lambda self, module: None  # raises off the GPU
    install_smddp(distributed, wrapper)


def install_smddp(distributed: Any, wrapper: Any) -> None:
    """SageMaker's data parallel library: version 1.4 and later is a backend, before it was a package of its own."""
    library = "smdistributed.dataparallel.torch"
    provide(f"{library}.torch_smddp")
    names = {key: value for key, value in vars(distributed).items() if not key.startswith("__")}
    provide(f"{library}.distributed", **{**names, "get_local_rank": lambda: int(os.environ.get("LOCAL_RANK", 0))})
    provide(f"{library}.parallel.distributed", DistributedDataParallel=wrapper)
    provide(f"{library}.parallel", DistributedDataParallel=wrapper)


def provide(name: str, **attributes: Any) -> None:
    """Make `import name` work, its parents included, with a module that holds `attributes`."""
    parent, _, last = name.rpartition(".")
    if parent:
        provide(parent)
    module: Any = sys.modules.setdefault(name, ModuleType(name))
    module.__path__ = []
    vars(module).update(attributes)
    if parent:
        setattr(sys.modules[parent], last, module)


def install_optimizers(torch: Any) -> None:
    """Optimizers without their CUDA-only kernels."""
    for optimizer in vars(torch.optim).values():
        if isinstance(optimizer, type) and issubclass(optimizer, torch.optim.Optimizer):
            without_cuda_kernels(optimizer)


def without_cuda_kernels(optimizer: Any) -> None:
    """Ignore `fused` and `capturable`; the signature stays, for scripts that look whether `fused` is there."""
    start = optimizer.__init__

    @functools.wraps(start)
    def build(self: Any, *arguments: Any, **options: Any) -> None:
        start(self, *arguments, **{key: value for key, value in options.items() if key not in ("fused", "capturable")})

    optimizer.__init__ = build
