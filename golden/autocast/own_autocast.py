import torch


def autocast(enabled):
    return enabled


with autocast(True):
    pass
print("torch.cuda.amp.autocast")
