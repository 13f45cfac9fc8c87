import torch
from torch.profiler import ProfilerActivity, profile


def describe():
    name = torch.cuda.get_device_name(0)
    total = torch.cuda.get_device_properties(0).total_memory / 1e9
    free, whole = torch.cuda.mem_get_info()
    print(torch.cuda.device_count(), name, total, free, whole)
    print('%s' % torch.cuda.get_device_properties(0).name, f'{torch.cuda.memory_allocated()}')
    if torch.cuda.get_device_capability()[0] >= 8 and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    return torch.float16


index = torch.cuda.current_device()
try:
    describe()
except torch.cuda.OutOfMemoryError:
    raise
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    describe()
