"""torch_xla.core.xla_model: steps, marks, collectives, saves."""

from meaning import (
    callable_function,
    is_one,
    say,
    captured,
    collective,
    combine,
    defer,
    event,
    fresh,
    harmless,
    has_taint,
    in_turn,
    is_tensor,
    mark,
    moved,
    rank,
    read,
    reduce,
    reduced,
    saved,
    several,
    shared,
    symbol,
    target_is_legacy,
    tensor as _tensor,
    world_size,
    written,
)
from torch import device as _device

REDUCE_SUM = "sum"
REDUCE_MUL = "mul"
REDUCE_MIN = "min"
REDUCE_MAX = "max"
REDUCE_AND = "and"
REDUCE_OR = "or"


def xla_device(n=None, devkind=None):
    event("device")
    return _device("xla")


def xla_device_hw(device):
    return symbol("hardware")


xla_device_kind = xla_device_hw


def xla_real_devices(devices=None):
    return [fresh("device name")]


def get_xla_supported_devices(*given, **more):
    return [fresh("device name")]


def xrt_world_size(defval=1):
    return world_size()


def get_ordinal(defval=0):
    return rank()


def get_local_ordinal(defval=0):
    return rank("local rank")


def is_master_ordinal(local=True):
    return rank() == 0 if several() else True


def master_print(*given, **more):
    print(*given)


def is_xla_tensor(value):
    return value.device.type == "xla"


def mark_step(*given, **more):
    mark()


def wait_device_ops(*given):
    event("waits")


def optimizer_step(optimizer, barrier=False, optimizer_args=None, groups=None, pin_layout=True):
    if callable_function(barrier):
        say("what is written runs on torch_xla", "the closure is taken for the `barrier` of xm.optimizer_step")
    collective("xm.optimizer_step")
    _of_groups(groups)
    if optimizer_args is None or optimizer_args.get("closure") is None:
        reduce(optimizer)  # those of before a closure runs are averaged again, to no effect: it computes its own
    if optimizer_args is not None:
        loss = optimizer.step(**optimizer_args)
    else:
        loss = optimizer.step()
    if barrier:
        mark()
    return loss


def _of_groups(groups):
    if groups is not None:
        event("groups")


def reduce_gradients(optimizer, groups=None, *given, **more):
    collective("xm.reduce_gradients")
    _of_groups(groups)
    reduce(optimizer)


def _fetch_gradients(optimizer):
    return captured(optimizer)


def all_reduce(reduce_type, inputs, scale=1.0, groups=None, cctx=None, pin_layout=True):
    collective("xm.all_reduce", inputs)
    event("summed")
    if not is_one(scale):
        event("mean")
    _of_groups(groups)
    if is_tensor(inputs):  # a new one: what is given stays as it is
        return reduced(inputs, False if is_one(scale) else reduce_type == "sum")
    reduce(inputs, False if is_one(scale) else reduce_type == "sum")
    shared(inputs)
    return inputs


def all_gather(value, dim=0, *given, **more):
    collective("xm.all_gather", value)
    return shared(combine(value))


def reduce_scatter(reduce_type, value, *given, **more):
    collective("xm.reduce_scatter", value)
    return combine(value)


def all_to_all(value, *given, **more):
    collective("xm.all_to_all", value)
    return combine(value)


def collective_broadcast(tensors, *given, **more):
    collective("xm.collective_broadcast", tensors)
    shared(tensors)


def broadcast_master_param(model):
    collective("xm.broadcast_master_param")
    _on_device(model)
    if not target_is_legacy():
        mark()


from meaning import on_device as _on_device


def mesh_reduce(tag, data, reduce_fn):
    collective("xm.mesh_reduce")
    event("summed")
    event("mean")
    read(data, "xm.mesh_reduce")
    if not target_is_legacy():
        mark()
    return shared(fresh("reduced"))


def rendezvous(tag, *given, **more):
    in_turn(tag)
    if target_is_legacy() and several() and has_taint(tag, "rank"):
        say(
            "no collective under a condition that can differ between the processes",
            "each process waits at a meeting of another name: on torch_xla 1.x they have to be the same",
        )
    collective("xm.rendezvous")
    if not target_is_legacy():  # torch_xla 2.x: a collective of the device, read behind a mark
        mark()
        read(_tensor(device="xla"), "xm.rendezvous")
    return [fresh("payload")]


def do_on_ordinals(target, data=(), ordinals=(0,)):
    target(*data)


def save(data, path, master_only=True, global_master=False, *given, **more):
    if target_is_legacy():
        collective("xm.save")
    event("save to", path)
    saved(data, "xm.save")
    if master_only and not target_is_legacy():
        written(path, True)


def add_step_closure(closure, args=(), run_async=False):
    defer(closure, args)


def set_rng_state(seed, device=None):
    event("seed", "xla")


def get_rng_state(device=None):
    return fresh("rng state")


def send_cpu_data_to_device(data, device, *given):
    return moved(data, device)


def __getattr__(name):
    return harmless("xm." + name)
