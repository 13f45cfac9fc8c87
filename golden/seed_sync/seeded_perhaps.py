import torch
import torch.nn as nn


def main(args):
    if args.seed is not None:
        torch.manual_seed(args.seed)
    net = nn.Linear(2, 2).to("cuda")
    wrapped = nn.parallel.DistributedDataParallel(net) if args.ddp else net
    trainer = Trainer(nn.parallel.DistributedDataParallel(net))
    return wrapped, trainer
