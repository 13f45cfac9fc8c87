import torch
import torch.multiprocessing as mp
import torch_xla.core.xla_model as xm


def worker(rank, args):
    torch.manual_seed(args.seed)
    xm.set_rng_state(int(args.seed))
    model = torch.nn.Linear(2, 2).cuda(rank)


def main(args):
    torch.manual_seed(args.seed)
    mp.spawn(worker, nprocs=2, args=(args,))
