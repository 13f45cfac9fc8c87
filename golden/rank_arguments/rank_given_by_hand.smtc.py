"""`--rank`, which a person gave to each process, is asked by a guard only; `--gpu` is another name of --local-rank."""
import argparse

import torch
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--rank", default=-1, type=int)
parser.add_argument("--gpu", "--local-rank", default=0, type=int)


def main():
    args = parser.parse_args()
    args.rank = xm.get_ordinal()
    args.gpu = xm.get_local_ordinal()
    torch.distributed.init_process_group("nccl", init_method="env://")
    model = torch.nn.Linear(2, 2).cuda(args.gpu)
    if args.rank == 0:
        torch.save(model.state_dict(), f"model_{args.gpu}.pt")


if __name__ == "__main__":
    main()
