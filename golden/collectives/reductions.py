import torch
import torch.distributed as dist
from torch.distributed import ReduceOp, all_reduce as ar


def reduce_tensor(tensor, n):
    rt = tensor.clone()
    dist.all_reduce(rt, op=dist.ReduceOp.SUM)  # in place
    rt /= n
    return rt


def more(t, meters):
    dist.all_reduce(t)
    dist.all_reduce(t.data, torch.distributed.ReduceOp.MAX, async_op=False)
    dist.all_reduce(meters["loss"], op=ReduceOp.AVG)
    dist.all_reduce(op=dist.reduce_op.MIN, tensor=t)
    dist.all_reduce(
        t,  # the tensor
        op=dist.ReduceOp.PRODUCT,
    )
    ar(t)
    dist.reduce(t, dst=0)
    dist.reduce(t, 0, op=ReduceOp.AVG)
    count = torch.tensor(3.0)
    dist.all_reduce(count)
    best = torch.tensor(1.0)
    dist.all_reduce(best, op=ReduceOp.MAX)
    return count.item(), best
