import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = xm.xla_device()
xm.mark_step()
xm.wait_device_ops()
print(xm.get_memory_info(device), xm.xla_device_hw(device))
