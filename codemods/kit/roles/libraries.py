"""What the objects of libraries make: by the qualified name that is called, or that is the base of a class."""

from __future__ import annotations

from codemods.kit.roles.values import Role

WRAPPERS = {
    "torch.nn.parallel.DistributedDataParallel": "DistributedDataParallel",
    "torch.nn.DataParallel": "DataParallel",
    "apex.parallel.DistributedDataParallel": "DistributedDataParallel",
    "apex.parallel.distributed.DistributedDataParallel": "DistributedDataParallel",
    "smdistributed.dataparallel.torch.parallel.distributed.DistributedDataParallel": "DistributedDataParallel",
    "smdistributed.dataparallel.torch.parallel.DistributedDataParallel": "DistributedDataParallel",
}
_SCALERS = {"torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "torch.amp.grad_scaler.GradScaler",
            "torch_xla.amp.GradScaler"}  # fmt: skip
LIBRARY_SCALERS = ("timm.utils.NativeScaler", "timm.utils.cuda.NativeScaler")
"""Scalers of other libraries that also do the backward, clip and step: no `GradScaler` of torch's form."""
_LOADERS = {"torch.utils.data.DataLoader", "torch_geometric.loader.DataLoader", "torchdata.StatefulDataLoader"}
DEVICE_LOADERS = {
    "torch_xla.distributed.parallel_loader.MpDeviceLoader",
    "torch_xla.distributed.parallel_loader.ParallelLoader",
}
_SAMPLERS = ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler")
_DEVICES = {"torch.device", "torch_xla.core.xla_model.xla_device", "torch_xla.device"}
OTHER_DEVICE = "a device that is not the accelerator"
"""`Value.of` of a device that another file makes and that cannot be the accelerator."""
_MODEL_MAKERS = ("torchvision.models.", "timm.create_model", "timm.models.", "segmentation_models_pytorch.",
                 "torch.hub.load", "torch.nn.")  # fmt: skip
_TENSOR_MAKERS = {"tensor", "zeros", "ones", "rand", "randn", "randint", "full", "empty", "arange", "linspace", "stack",
                  "cat", "from_numpy", "as_tensor", "zeros_like", "ones_like", "rand_like", "randn_like", "randperm",
                  "Tensor", "FloatTensor", "LongTensor", "eye", "where", "matmul"}  # fmt: skip
PASSES_THROUGH = {
    "builtins.enumerate", "builtins.iter", "builtins.reversed", "itertools.islice", "itertools.cycle",
    "itertools.chain", "copy.deepcopy", "copy.copy", "tqdm", "tqdm.trange", "tqdm.tqdm_notebook",
    "tqdm.contrib.tenumerate", "rich.progress.track", "progressbar.progressbar", "alive_progress.alive_it",
    *(f"tqdm.{part}tqdm" for part in ("", "auto.", "notebook.", "autonotebook.", "std.", "rich.", "gui.", "asyncio.")),
    *(f"fastprogress.{part}{bar}" for part in ("", "fastprogress.") for bar in ("progress_bar", "master_bar")),
}  # fmt: skip
_BASES = {
    "torch.nn.Module": Role.MODEL,
    "torch.optim.Optimizer": Role.OPTIMIZER,
    "torch.utils.data.Dataset": Role.DATASET,
    "torch.utils.data.IterableDataset": Role.DATASET,
    "torch.utils.data.Sampler": Role.SAMPLER,
    "torch.utils.data.sampler.Sampler": Role.SAMPLER,
    "torch.autograd.Function": Role.OTHER,
}


def base_role(name: str) -> Role | None:
    """What instances of a class are whose base has this qualified name; None for a base that is not of a library."""
    if name.rpartition(".")[2] in ("Module", "PreTrainedModel", "BertPreTrainedModel", "LightningModule"):
        return Role.MODEL
    return library_role(name) or _BASES.get(name)


def library_role(name: str) -> Role | None:
    """What calling a library object by this qualified name makes."""
    if not name:
        return None
    if name in _SCALERS:
        return Role.SCALER
    if name in LIBRARY_SCALERS:
        return Role.OTHER
    if name in _LOADERS:
        return Role.LOADER
    if name in _DEVICES:
        return Role.DEVICE
    if name in _SAMPLERS or (name.startswith("torch.utils.data.") and name.endswith("Sampler")):
        return Role.SAMPLER
    if name.startswith(("torch.optim.lr_scheduler.", "transformers.get_")) or name.endswith("_schedule_with_warmup"):
        return Role.SCHEDULER
    if name.startswith("torch.optim.swa_utils."):
        return None
    if name.startswith(("torch.optim.", "apex.optimizers.", "torch_xla.amp.syncfree.", "bitsandbytes.optim.")):
        return Role.OPTIMIZER if name.rpartition(".")[2][:1].isupper() else None
    if name in (
        "transformers.AdamW",
        "transformers.optimization.AdamW",
        "transformers.Adafactor",
        "timm.optim.create_optimizer",
    ):
        return Role.OPTIMIZER
    if name in ("torch.cuda.amp.autocast", "torch.amp.autocast", "torch.autocast", "torch_xla.amp.autocast"):
        return Role.AUTOCAST
    last = name.rpartition(".")[2]
    if name.startswith("torch.nn.functional."):
        return Role.LOSS if last.endswith("_loss") or "entropy" in last else Role.TENSOR
    if name in WRAPPERS or name.startswith(("torch.nn.parallel.", "torch.nn.utils.", "torch.nn.init.")):
        return None
    if name.startswith("torch.nn."):
        if last.endswith("Loss"):
            return Role.CRITERION
        return Role.MODEL if last[:1].isupper() and last not in ("Parameter", "SyncBatchNorm") else None
    if name.startswith(_MODEL_MAKERS):
        return Role.MODEL
    if name.startswith("torch.") and name.count(".") == 1 and last in _TENSOR_MAKERS:
        return Role.TENSOR
    if name in ("torch.autograd.Variable",):
        return Role.TENSOR
    return None
