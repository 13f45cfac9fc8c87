"""torch_xla 2.x: devices, marks, processes."""

from meaning import event, fresh, harmless, launch as _launch, mark, symbol
from torch import device as _device


def device(*given, **more):
    event("device")
    return _device("xla")


def devices():
    return [_device("xla")]


def real_devices():
    return [fresh("device name")]


def device_count():
    return symbol("xla device count")


def sync(wait=False, reset_scope=True):
    mark()


def launch(fn, args=(), start_method="spawn", debug_single_process=False):
    _launch(fn, args, debug_single_process is True, start_method)


def manual_seed(seed, device=None):
    event("seed", "xla")


class step:
    def __enter__(self):
        mark()

    def __exit__(self, *given):
        mark()

    def __call__(self, function):
        return function


def compile(function=None, *given, **more):
    return function if function is not None else (lambda inner: inner)


def __getattr__(name):
    return harmless("torch_xla." + name)
