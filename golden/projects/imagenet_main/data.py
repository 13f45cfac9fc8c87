import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Patterns(Dataset):
    """Images of stripes; the class is their direction."""

    def __init__(self, length, seed):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 4, (length,), generator=generator)
        self.noise = torch.randn(length, 3, 8, 8, generator=generator) * 0.1

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        label = self.labels[index]
        stripes = torch.sin(torch.arange(8.0) * (label + 1)).expand(3, 8, 8)
        return stripes + self.noise[index], label


def build_loaders(args):
    train_dataset, val_dataset = Patterns(32, seed=1), Patterns(12, seed=2)
    if args.distributed:
        train_sampler = DistributedSampler(train_dataset)
        val_sampler = DistributedSampler(val_dataset, shuffle=False, drop_last=True)
    else:
        train_sampler = None
        val_sampler = None
    train_loader = DataLoader(
        train_dataset, batch_size=args.batch_size, shuffle=(train_sampler is None),
        num_workers=args.workers, pin_memory=True, sampler=train_sampler)
    val_loader = DataLoader(
        val_dataset, batch_size=args.batch_size, shuffle=False,
        num_workers=args.workers, pin_memory=True, sampler=val_sampler)
    return train_loader, val_loader, train_sampler
