"""torch.distributed: process groups and collectives. On XLA only the backend "xla" makes one."""

from meaning import (
    become_several,
    collective,
    event,
    get_world,
    has_taint,
    joined,
    rank,
    reduce as _sum,
    set_world,
    several,
    shared,
    unknown,
    world_size,
)


class ReduceOp:
    SUM = "sum"
    MEAN = AVG = "mean"
    MAX = "max"
    MIN = "min"
    PRODUCT = "product"


class group:
    WORLD = None


def init_process_group(*given, **more):
    event("processes")
    set_world("group", True)
    become_several()


def destroy_process_group(*given):
    return None


def is_available():
    return True


def is_initialized():
    if get_world("launched") is True and get_world("group") is None:
        return False  # torch_xla.launch makes no group
    return joined()


def is_torchelastic_launched():
    return several()


def get_rank(group=None):
    return rank()


def get_node_local_rank(*given):
    return rank("local rank")


def get_world_size(group=None):
    return world_size()


def get_backend(*given):
    return "nccl"


def barrier(*given, **more):
    collective("barrier")


def all_reduce(tensor, op="sum", group=None, async_op=False):
    collective("all_reduce", tensor)
    if not has_taint(tensor, "gradient"):
        event("summed")
    _sum(tensor, op == "mean")
    shared(tensor)
    return _Handle()


def _reduce(tensor, *given, **more):
    collective("reduce", tensor)
    event("summed")
    shared(tensor)


def broadcast(tensor, *given, **more):
    collective("broadcast", tensor)
    shared(tensor)
    return _Handle()


def broadcast_object_list(values, *given, **more):
    collective("broadcast_object_list")


def all_gather(parts, tensor, *given, **more):
    collective("all_gather", tensor)
    for one in parts:
        one.copy_(tensor)
        shared(one)


def all_gather_into_tensor(out, tensor, *given, **more):
    collective("all_gather_into_tensor", tensor)
    out.copy_(tensor)
    shared(out)


def all_gather_object(values, value, *given, **more):
    collective("all_gather_object")


def gather(tensor, *given, **more):
    collective("gather", tensor)


def reduce_scatter(out, *given, **more):
    collective("reduce_scatter")


def new_group(*given, **more):
    event("groups")
    return unknown("a process group")


class _Handle:
    def wait(self, *given):
        return None

    def is_completed(self):
        return True


def __getattr__(name):
    if name == "reduce":
        return _reduce
    return unknown("torch.distributed." + name)
