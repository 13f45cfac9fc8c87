import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, random_split


class Windows(Dataset):
    """Windows of a series that is on the device as a whole."""

    def __init__(self, series, length, device):
        self.series = torch.as_tensor(series).to(device)
        self.length = length

    def __len__(self):
        return len(self.series) - self.length

    def __getitem__(self, i):
        return self.series[i:i + self.length], self.series[i + self.length]


class Stream(IterableDataset):
    def __init__(self, x, y, device):
        self.x, self.y, self.device = x, y, device

    def __iter__(self):
        for x, y in zip(self.x, self.y):
            yield x.to(self.device), y.to(self.device)


class Batches:
    """Hands out batches by itself, as fast as a slice is cut."""

    def __init__(self, *tensors, size):
        self.tensors, self.size = tensors, size

    def __iter__(self):
        self.at = 0
        return self

    def __next__(self):
        if self.at >= len(self.tensors[0]):
            raise StopIteration
        batch = tuple(tensor[self.at:self.at + self.size] for tensor in self.tensors)
        self.at += self.size
        return batch


def cut(x, y, size):
    for at in range(0, len(x), size):
        yield x[at:at + size], y[at:at + size]


def put_on(device):
    def collate(samples):
        x, y = zip(*samples)
        return torch.stack(x).to(device), torch.stack(y).to(device)

    return collate


def transform(data, device):
    x = torch.Tensor(data)
    return x.to(device), (x * 2).to(device)


def split_loaders(data, device, batch_size=8):
    x, y = transform(data, device)
    train, val = random_split(TensorDataset(x, y), [48, 16])
    return (
        DataLoader(train, batch_size=batch_size, drop_last=True),
        DataLoader(val, batch_size=batch_size, drop_last=True),
    )
