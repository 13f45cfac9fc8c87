import random

import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __getitem__(self, index):
        torch.manual_seed(index)
        return torch.rand(2)


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    random.seed(seed)
    torch.manual_seed(seed)


loader = DataLoader(Noise(), worker_init_fn=seed_worker)
for batch in loader:
    batch.cuda()
with torch.random.fork_rng():
    torch.manual_seed(1)
