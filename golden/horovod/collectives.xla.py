import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def metric_average(val, name):
    tensor = torch.tensor(val)
    device = torch_xla.device()
    avg_tensor = xm.all_reduce(xm.REDUCE_SUM, tensor.to(device), scale=1.0 / xr.world_size())
    return avg_tensor.item()


def more(t):
    total = xm.all_reduce(xm.REDUCE_SUM, t)
    summed = xm.all_reduce(xm.REDUCE_SUM, t)
    xm.all_reduce(xm.REDUCE_SUM, [t], scale=1.0 / xr.world_size())
    xm.collective_broadcast([t], root_ordinal=0)
    everything = xm.all_gather(t, dim=0)
    epoch = xm.mesh_reduce("more_objects", 3, list)[0]
    return total, summed, everything, epoch, xm.mesh_reduce("more_objects", {"a": 1}, list)
