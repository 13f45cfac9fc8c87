import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


def make_dataset(length, features, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(length, features, generator=generator)
    y = x.sum(dim=1, keepdim=True).tanh()
    return TensorDataset(x, y)


def create_loaders(config, seed):
    dataset = make_dataset(config.length, config.features, seed)
    split = config.length - 2 * config.batch_size
    train_set, valid_set = random_split(dataset, [split, config.length - split])
    options = dict(batch_size=config.batch_size, num_workers=config.num_workers, pin_memory=config.pin_memory)
    train_loader = DataLoader(train_set, shuffle=True, drop_last=True, **options)
    valid_loader = DataLoader(valid_set, shuffle=False, **options)
    return train_loader, valid_loader
