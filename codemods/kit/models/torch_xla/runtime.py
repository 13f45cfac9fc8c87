"""torch_xla.runtime."""

from meaning import harmless, rank, symbol, world_size as _world_size


def world_size():
    return _world_size()


def global_ordinal():
    return rank()


def local_ordinal():
    return rank("local rank")


def process_index():
    return rank("process index")


def local_process_count():
    return _world_size()


global_device_count = addressable_device_count = local_device_count = local_process_count
addressable_runtime_device_count = local_process_count


def device_type():
    return symbol("device type")


def __getattr__(name):
    return harmless("torch_xla.runtime." + name)
