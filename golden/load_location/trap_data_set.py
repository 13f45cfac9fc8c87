import torch
from torch.utils.data import Dataset


class Features(Dataset):
    def __getitem__(self, index):
        return self.read(f"{index}.pt", weights_only=True)

    def read(self, path, **options):
        return torch.load(path, **options)


net = torch.nn.Linear(4, 2).cuda()
