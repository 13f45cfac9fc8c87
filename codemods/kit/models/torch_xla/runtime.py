"""torch_xla.runtime."""

from meaning import event, harmless, rank, symbol, world_size as _world_size


def world_size():
    event("runtime")
    return _world_size()


def global_ordinal():
    event("runtime")
    return rank()


def local_ordinal():
    event("runtime")
    return rank("local rank")


def process_index():
    event("runtime")
    return rank("process index")


def local_process_count():
    event("runtime")
    return _world_size()


global_device_count = addressable_device_count = local_device_count = local_process_count
addressable_runtime_device_count = local_process_count


def device_type():
    return symbol("device type")


def __getattr__(name):
    return harmless("torch_xla.runtime." + name)
