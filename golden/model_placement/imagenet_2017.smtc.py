import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def main(args):
    model = nn.Linear(4, 2)
    args.distributed = args.world_size > 1

    device = xm.xla_device()
    model = model.to(device)

    # define loss function
    criterion = nn.CrossEntropyLoss().cuda()
    return model, criterion
