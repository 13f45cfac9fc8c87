"""torch_xla.distributed.parallel_loader: batches on the device, a mark when the next one is asked for."""

from meaning import device_kind, event, field, handed, mark, say, target_is_legacy


class MpDeviceLoader:
    __lacks__ = ("dataset", "sampler", "batch_sampler", "batch_size", "num_workers", "collate_fn", "drop_last")

    def __init__(self, loader, device, *given, **more):
        self._loader = loader
        self._wraps = True
        if field(loader, "_wraps") is True and not target_is_legacy():
            say("what is written runs on torch_xla", "a device loader of a device loader hands out no batches")
        self._device = device
        if more.get("batches_per_execution", 1) != 1:
            event("rarely executed")

    def __iter__(self):
        if device_kind(self._device) == "cpu":
            say("what is written runs on torch_xla", "a device loader has no way to the host: its batches fail there")
        for batch in self._loader:
            yield handed(batch, self._device)
            event("next batch")
            mark()

    def __len__(self):
        return len(self._loader)


class ParallelLoader:
    def __init__(self, loader, devices, *given, **more):
        self._loader = loader
        self._devices = devices

    def per_device_loader(self, device):
        return _OnePass(self._loader, device)


class _OnePass(MpDeviceLoader):
    """What it hands out can be gone through once."""

    _spent = False

    def __iter__(self):
        if self._spent is True:
            say("what trained still trains", "this was gone through already, and hands out no batches any more")
        self._spent = True
        for batch in super().__iter__():
            yield batch
