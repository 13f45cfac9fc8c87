"""torch.accelerator: the device that is there, whatever it is called."""

from meaning import cuda as _on_cuda, unknown
from torch import device
from torch.cuda import current_device, device_count, is_available, set_device, synchronize

current_device_index = current_device_idx = current_device
set_device_index = set_device_idx = set_device


def current_accelerator(*given, **more):
    return device("cuda") if _on_cuda else unknown("an accelerator that is not CUDA's")
