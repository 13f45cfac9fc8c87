import torch


def checkpoint(state, path):
    torch.save(state, path)


checkpoint({}, "x.pt")
