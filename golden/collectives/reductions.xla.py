import torch
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def reduce_tensor(tensor, n):
    rt = tensor.clone()
    xm.all_reduce(xm.REDUCE_SUM, [rt])  # in place
    rt /= n
    return rt


def more(t, meters):
    xm.all_reduce(xm.REDUCE_SUM, [t])
    xm.all_reduce(xm.REDUCE_MAX, [t.data])
    xm.all_reduce(xm.REDUCE_SUM, [meters["loss"]], scale=1.0 / xr.world_size())
    xm.all_reduce(xm.REDUCE_MIN, [t])
    xm.all_reduce(xm.REDUCE_MUL, [t])
    xm.all_reduce(xm.REDUCE_SUM, [t])
    xm.all_reduce(xm.REDUCE_SUM, [t])
    xm.all_reduce(xm.REDUCE_SUM, [t], scale=1.0 / xr.world_size())
    count = torch.tensor(3.0)
    count = xm.mesh_reduce("count", count, sum)
    best = torch.tensor(1.0)
    best = xm.mesh_reduce("best", best, max)
    return count.item(), best
