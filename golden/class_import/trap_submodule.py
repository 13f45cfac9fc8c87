import torch_xla.distributed.parallel_loader as MpDeviceLoader

print(MpDeviceLoader)
