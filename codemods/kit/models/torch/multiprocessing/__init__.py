"""torch.multiprocessing: processes that train together."""

from meaning import event, launch, unknown


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    event("started", nprocs)
    launch(fn, args, False, start_method)


start_processes = spawn


def set_start_method(method, force=False):
    if not force:
        event("start method")


class Process:
    def __init__(self, target=None, args=(), kwargs=None, **more):
        self.target = target
        self.args = args

    def start(self):
        launch(self.target, self.args[1:] if self.args else ())

    def join(self, *given):
        return None


def get_context(method=None):
    import torch.multiprocessing
    return torch.multiprocessing


def __getattr__(name):
    return unknown("torch.multiprocessing." + name)
