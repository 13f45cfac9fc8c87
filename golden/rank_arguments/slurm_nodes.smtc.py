import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_xla.core.xla_model as xm


def worker(gpu, args):
    rank = xm.get_ordinal()
    args.world_size = xm.xrt_world_size()
    dist.init_process_group("nccl", rank=rank, world_size=args.world_size)
    print(gpu + 1, 3 * 4 + gpu)
    batch_size = args.batch_size // args.world_size
    return batch_size


def main(args):
    mp.spawn(worker, nprocs=args.gpus, args=(args,))
