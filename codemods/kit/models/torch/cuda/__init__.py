"""torch.cuda: on the host of an XLA program it is not there."""

from meaning import cuda as _on_cuda, event, fresh, harmless, rank, say, several, symbol

from .._types import tensortype as _tensortype
from . import amp


def is_available():
    return True if _on_cuda else symbol("cuda is available")


def device_count():
    return symbol("device count") if _on_cuda else symbol("cuda device count")


def _size(*given, **more):
    return fresh("memory")


memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _size


class device:
    def __init__(self, *given):
        return None

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None


class Stream(device):
    def wait_stream(self, other):
        return None

    synchronize = wait_event = record_event = wait_stream


stream = Stream


def _nothing(*given, **more):
    return Stream()


def manual_seed(seed):
    event("seed", "cuda")


manual_seed_all = manual_seed
empty_cache = _nothing


def _asked(name, answer=None):
    """What only a program on CUDA can ask: elsewhere it raises."""
    if not _on_cuda and not is_available():
        say("what is written runs on torch_xla", "torch.cuda." + name + "() raises where there is no GPU", "open")
    return answer


def set_device(device):
    return _asked("set_device")


def current_device():
    return _asked("current_device", rank("local rank") if several() else 0)


def synchronize(*given):
    event("waits")
    return _asked("synchronize")


def current_stream(*given):
    return _asked("current_stream", Stream())


def default_stream(*given):
    return _asked("default_stream", Stream())


def ipc_collect():
    return _asked("ipc_collect")


FloatTensor = _tensortype("torch.cuda.FloatTensor", "cuda")
HalfTensor = _tensortype("torch.cuda.HalfTensor", "cuda")
DoubleTensor = _tensortype("torch.cuda.DoubleTensor", "cuda")
LongTensor = _tensortype("torch.cuda.LongTensor", "cuda")
IntTensor = _tensortype("torch.cuda.IntTensor", "cuda")
ByteTensor = _tensortype("torch.cuda.ByteTensor", "cuda")
BoolTensor = _tensortype("torch.cuda.BoolTensor", "cuda")


def __getattr__(name):
    return harmless("torch.cuda." + name)
