import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def main(args):
    if args.seed is not None:
        torch.manual_seed(args.seed)
    net = nn.Linear(2, 2).to("cuda")
    wrapped = nn.parallel.DistributedDataParallel(net) if args.ddp else net
    xm.broadcast_master_param(wrapped)
    trainer = Trainer(nn.parallel.DistributedDataParallel(net))
    xm.broadcast_master_param(net)
    return wrapped, trainer
