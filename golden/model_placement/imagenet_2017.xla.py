import torch
import torch.nn as nn
import torch_xla


def main(args):
    model = nn.Linear(4, 2)
    args.distributed = args.world_size > 1

    device = torch_xla.device()
    model = model.to(device)

    # define loss function
    criterion = nn.CrossEntropyLoss().cuda()
    return model, criterion
