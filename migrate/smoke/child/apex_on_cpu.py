"""A stand-in for NVIDIA's apex: mixed precision stays in float32, its wrappers and optimizers are torch's own.

It is put in place only for scripts that need apex: one that can do without is to take that way on both sides.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .cuda_training import provide


def install(torch: Any) -> None:
    """Make `import apex` and what scripts use of it work. An apex that is installed is not asked: it needs a GPU."""

    class DistributedDataParallel(torch.nn.parallel.DistributedDataParallel):  # type: ignore[misc]
        def __init__(self, module: Any, *arguments: Any, **options: Any) -> None:
            super().__init__(module)

    provide(
        "apex.amp",
        initialize=initialize,
        scale_loss=scale_loss,
        master_params=master_params,
        state_dict=dict,
        load_state_dict=lambda state: None,
    )
    provide(
        "apex.parallel",
        DistributedDataParallel=DistributedDataParallel,
        convert_syncbn_model=torch.nn.SyncBatchNorm.convert_sync_batchnorm,
        SyncBatchNorm=torch.nn.SyncBatchNorm,
    )
    provide(
        "apex.optimizers",
        FusedAdam=torch.optim.AdamW,
        FusedSGD=torch.optim.SGD,
    )
    provide("apex.normalization", FusedLayerNorm=torch.nn.LayerNorm)


def initialize(models: Any, optimizers: Any = None, *arguments: Any, **options: Any) -> Any:
    """The models and optimizers as they are."""
    return models if optimizers is None else (models, optimizers)


@contextlib.contextmanager
def scale_loss(loss: Any, optimizers: Any, *arguments: Any, **options: Any) -> Iterator[Any]:
    """The loss as it is: float32 needs no scaling."""
    yield loss


def master_params(optimizer: Any) -> Iterator[Any]:
    """The parameters of an optimizer; there are no other copies of them."""
    for group in optimizer.param_groups:
        yield from group["params"]
