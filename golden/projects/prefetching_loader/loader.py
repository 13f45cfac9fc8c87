from contextlib import suppress
from functools import partial

import torch
from torch.utils.data import DataLoader


class PrefetchLoader:
    def __init__(self, loader, mean, std, device=torch.device("cuda")):
        self.loader = loader
        self.device = device
        self.mean = torch.tensor(mean, device=device).view(1, -1)
        self.std = torch.tensor(std, device=device).view(1, -1)
        self.is_cuda = torch.cuda.is_available() and device.type == "cuda"

    def __iter__(self):
        first = True
        if self.is_cuda:
            stream = torch.cuda.Stream()
            stream_context = partial(torch.cuda.stream, stream=stream)
        else:
            stream = None
            stream_context = suppress

        for next_input, next_target in self.loader:
            with stream_context():
                next_input = next_input.to(device=self.device, non_blocking=True)
                next_target = next_target.to(device=self.device, non_blocking=True)
                next_input = next_input.sub_(self.mean).div_(self.std)

            if not first:
                yield input, target
            else:
                first = False

            if stream is not None:
                torch.cuda.current_stream().wait_stream(stream)

            input = next_input
            target = next_target

        yield input, target

    def __len__(self):
        return len(self.loader)


def create_loader(dataset, batch_size, use_prefetcher=True, device=torch.device("cuda")):
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
    if use_prefetcher:
        loader = PrefetchLoader(loader, [0.0] * 4, [1.0] * 4, device=device)
    return loader
