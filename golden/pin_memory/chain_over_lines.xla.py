import torch


def pinned(storage, device):
    tensor = (
        torch.tensor([], dtype=torch.uint8)
        .set_(storage)
    )
    return tensor.untyped_storage()


def load(batch):
    return (
        batch["image"]
        .cuda(non_blocking=True)
    )
