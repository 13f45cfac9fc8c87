"""torch_xla.distributed.xla_multiprocessing."""

from meaning import harmless, launch


def spawn(fn, args=(), nprocs=None, join=True, daemon=False, start_method="spawn"):
    launch(fn, args, nprocs == 1, start_method)


class MpModelWrapper:
    def __init__(self, model):
        self._model = model

    def to(self, device):
        return self._model.to(device)


def __getattr__(name):
    return harmless("xmp." + name)
