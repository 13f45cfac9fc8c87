import torch
import torch.multiprocessing as mp
import torch_xla


def worker(rank, args):
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(int(args.seed))
    model = torch.nn.Linear(2, 2).cuda(rank)


def main(args):
    torch.manual_seed(args.seed)
    mp.spawn(worker, nprocs=2, args=(args,))
