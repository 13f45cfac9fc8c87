import torch


def save(model, path):
    inner = model._orig_mod if hasattr(model, "_orig_mod") else model
    print(torch.cuda.memory_allocated())
    torch.save(inner.state_dict(), path)
