import torch
from torch.utils.data import DataLoader, Dataset


class Sines(Dataset):
    def __init__(self, length, width, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.phase = torch.rand(length, generator=generator)
        self.width = width

    def __len__(self):
        return len(self.phase)

    def __getitem__(self, index):
        return torch.sin(torch.linspace(0, 3, self.width) + self.phase[index])


def get_loader(opt):
    return DataLoader(Sines(opt.length, opt.width), batch_size=opt.batch_size, shuffle=True,
                      num_workers=opt.workers, pin_memory=True, drop_last=True)
