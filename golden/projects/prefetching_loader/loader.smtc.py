from contextlib import suppress

import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl


class PrefetchLoader:
    def __init__(self, loader, mean, std, device=torch.device("xla")):
        self.loader = loader
        self.device = device
        self.mean = torch.tensor(mean, device=device).view(1, -1)
        self.std = torch.tensor(std, device=device).view(1, -1)
        self.is_cuda = device.type == "xla"

    def __iter__(self):
        first = True
        stream = None
        stream_context = suppress

        for next_input, next_target in pl.MpDeviceLoader(self.loader, self.device):
            with stream_context():
                next_input = next_input.sub_(self.mean).div_(self.std)

            if not first:
                yield input, target
            else:
                first = False

            input = next_input
            target = next_target

        yield input, target

    def __len__(self):
        return len(self.loader)


def create_loader(dataset, batch_size, use_prefetcher=True, device=torch.device("xla")):
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
    if use_prefetcher:
        loader = PrefetchLoader(loader, [0.0] * 4, [1.0] * 4, device=device)
    return loader
