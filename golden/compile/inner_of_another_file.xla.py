import torch


def save(model, path):
    print(torch.cuda.memory_allocated())
    torch.save(model.state_dict(), path)
