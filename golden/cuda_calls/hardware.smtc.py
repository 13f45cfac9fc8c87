import os
import torch
from torch.profiler import ProfilerActivity, profile
import torch_xla.core.xla_model as xm


def describe():
    device = xm.xla_device()
    name = xm.xla_device_hw(device)
    total = (xm.get_memory_info(device)["kb_total"] * 1024) / 1e9
    free, whole = ((xm.get_memory_info(device)["kb_total"] * 1024) - ((xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024), (xm.get_memory_info(device)["kb_total"] * 1024))
    print(int(os.environ.get("GPU_NUM_DEVICES", "1")), name, total, free, whole)
    print('%s' % xm.xla_device_hw(device), f'{((xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024)}')
    if torch.cuda.get_device_capability()[0] >= 8 and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    return torch.float16


index = xm.get_local_ordinal()
try:
    describe()
except torch.cuda.OutOfMemoryError:
    raise
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    describe()
