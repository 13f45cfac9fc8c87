import torch

try:
    from torch._six import string_classes
except ImportError:
    string_classes = str


def collate(batch):
    return batch if isinstance(batch, string_classes) else torch.stack(batch).cuda()
