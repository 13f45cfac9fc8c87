import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm
from tools import is_master


def main(args, model):
    dist.init_process_group("nccl")
    args.save_logs = args.logs and args.logs.lower() != "none" and is_master(args)
    verbose = args.verbose and args.logs
    for epoch in range(args.epochs):
        if args.save_logs:
            xm.save(model.state_dict(), f"epoch_{epoch}.pt")
        if verbose:
            xm.save(model.state_dict(), "last.pt")
