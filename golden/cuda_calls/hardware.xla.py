import torch
from torch.profiler import ProfilerActivity, profile
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def describe():
    device = torch_xla.device()
    name = xm.xla_device_hw(device)
    total = xm.get_memory_info(device)["bytes_limit"] / 1e9
    free, whole = (xm.get_memory_info(device)["bytes_limit"] - xm.get_memory_info(device)["bytes_used"], xm.get_memory_info(device)["bytes_limit"])
    print(xr.local_device_count(), name, total, free, whole)
    print('%s' % xm.xla_device_hw(device), f'{xm.get_memory_info(device)["bytes_used"]}')
    if torch.cuda.get_device_capability()[0] >= 8 and xr.is_bf16_supported():
        return torch.bfloat16
    return torch.float16


index = xr.local_ordinal()
try:
    describe()
except torch.cuda.OutOfMemoryError:
    raise
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    describe()
