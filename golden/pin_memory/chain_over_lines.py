import torch


def pinned(storage, device):
    tensor = (
        torch.tensor([], dtype=torch.uint8)
        .set_(storage)
        .pin_memory(device)
    )
    return tensor.untyped_storage()


def load(batch):
    return (
        batch["image"]
        .pin_memory()
        .cuda(non_blocking=True)
    )
