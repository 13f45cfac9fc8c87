"""Horovod: processes that average gradients in the optimizer's step."""

from meaning import become_several, collective, combine, event, rank, reduce, shared, world_size
from torch.optim import Optimizer

Average = "mean"
Sum = "sum"
Adasum = "adasum"


def init(*given, **more):
    event("processes")
    become_several()


def shutdown():
    return None


def size():
    return world_size()


local_size = cross_size = size


def local_rank():
    return rank("local rank")


def _rank():
    return rank()


class Compression:
    none = None
    fp16 = None


class DistributedOptimizer(Optimizer):
    def __init__(self, optimizer, named_parameters=None, *given, **more):
        event("wrap")
        self.inner = optimizer
        self.param_groups = optimizer.param_groups
        self.averaged = False

    def synchronize(self):
        collective("allreduce")
        reduce(self.inner)
        self.averaged = True

    def skip_synchronize(self):
        return _Skip()

    def step(self, closure=None):
        loss = closure() if closure is not None else None
        if not self.averaged:
            self.synchronize()
        self.averaged = False
        self._stepped = True
        self.inner.step()
        return loss

    def zero_grad(self, *given, **more):
        self.inner.zero_grad()

    def state_dict(self):
        return self.inner.state_dict()

    def load_state_dict(self, state):
        self.inner.load_state_dict(state)


class _Skip:
    def __enter__(self):
        return None

    def __exit__(self, *given):
        return None


def broadcast_parameters(parameters, root_rank=0):
    collective("broadcast_parameters")
    shared(parameters)


broadcast_optimizer_state = broadcast_parameters


def broadcast_object(value, root_rank=0, *given, **more):
    collective("broadcast_object")
    return shared(value)


def allreduce(tensor, *given, **more):
    collective("allreduce", tensor)
    return shared(combine(tensor))


allreduce_ = allgather = broadcast = broadcast_ = alltoall = allreduce


def join(*given):
    collective("join")


def __getattr__(name):
    if name == "rank":
        return _rank
    return join
