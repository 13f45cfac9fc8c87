import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record
import torch_xla.core.xla_model as xm


@record
def main(t, args):
    group = dist.new_group([0, 1])
    dist.all_reduce(t, group=group)
    dist.all_reduce(t, op=args.op)
    xm.all_reduce(xm.REDUCE_SUM, [t])
    dist.send(t, dst=1)
    dist.recv(t, src=0)
    dist.scatter(t, [t, t])
    dist.monitored_barrier()
    dist.all_reduce(*args.tensors)
    reduce = dist.all_reduce
    print(dist.get_backend())
