import torch.distributed as dist
import torch_xla.core.xla_model as xm


def save(rank, group, args):
    if rank == 0: print("saving")
    xm.rendezvous("save")
    dist.barrier(group)
    handle = dist.barrier(async_op=True)
    xm.rendezvous("save_2")
    wait = dist.barrier
    return handle, wait


def save_again(args):
    # every process
    xm.rendezvous("save_again"); print("met")
    if args.local_rank not in [-1, 0]: xm.rendezvous("save_again_in_turn")
