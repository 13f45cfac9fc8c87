import torch


def save(model, path):
    print(torch.cuda.memory_allocated())
    torch.save(model._orig_mod.state_dict(), path)
