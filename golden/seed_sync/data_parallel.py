import torch
import torch.nn as nn


def main(args):
    model = nn.Linear(2, 2)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    model.to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return optimizer
