import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def main(args):
    if args.seed is not None:
        torch.manual_seed(args.seed)
    net = nn.Linear(2, 2).to("cuda")
    wrapped = nn.parallel.DistributedDataParallel(net) if args.ddp else net
    xm.collective_broadcast(list(wrapped.parameters()) + list(wrapped.buffers()))
    xm.mark_step()
    trainer = Trainer(nn.parallel.DistributedDataParallel(net))
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    return wrapped, trainer
