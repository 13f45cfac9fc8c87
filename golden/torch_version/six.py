import torch
from torch._six import container_abcs, string_classes


def collate(batch):
    if isinstance(batch, string_classes):
        return batch
    return torch.stack(batch).cuda() if isinstance(batch, container_abcs.Sequence) else batch
