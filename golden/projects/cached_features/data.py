import torch
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, names):
        self.names = names

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        path = self.names[index] + ".pt"
        try:
            return torch.load(path)
        except FileNotFoundError:
            features = torch.full((8,), float(index))
            torch.save(features, path)
            return features


def make_loader(names, sampler=None):
    return DataLoader(Features(names), batch_size=4, sampler=sampler)
