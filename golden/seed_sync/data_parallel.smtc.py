import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def main(args):
    model = nn.Linear(2, 2)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    model.to(args.device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return optimizer
