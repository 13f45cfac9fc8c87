import torch
from torch import inference_mode as no_tape

net = torch.nn.Linear(2, 2).cuda()


@torch.inference_mode()
def evaluate(x):
    return net(x)


@torch.inference_mode
def bare(x):
    return net(x)


with no_tape(), open("log") as log:
    net(x)
with torch.inference_mode(mode=not training):  # tape when training
    net(x)
