import torch


def inference_mode():
    return torch.no_grad()


with inference_mode():
    net(x.cuda())
