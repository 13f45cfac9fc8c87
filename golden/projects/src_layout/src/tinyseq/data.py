from __future__ import annotations

import torch
from torch.utils.data import DataLoader, Dataset


class CopyTask(Dataset):
    """Sequences of symbols, to be given back shifted by one symbol."""

    def __init__(self, size: int, length: int = 6, symbols: int = 5, seed: int = 0) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.symbols = symbols
        self.items = torch.randint(0, symbols, (size, length), generator=generator)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        item = self.items[index]
        return {"tokens": item, "labels": (item + 1) % self.symbols}


def make_loader(dataset: Dataset, batch_size: int, shuffle: bool = True) -> DataLoader:
    options = dict(batch_size=batch_size, num_workers=0, pin_memory=torch.cuda.is_available())
    return DataLoader(dataset, shuffle=shuffle, drop_last=shuffle, **options)
