import itertools

from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.runtime as xr


class RepeatedDataLoader(DataLoader):
    def __init__(self, repeats, *args, **kwargs):
        self.repeats = repeats
        super().__init__(*args, **kwargs)

    def __iter__(self):
        for _ in range(self.repeats):
            yield from super().__iter__()


class RepeatedDistributedSampler(DistributedSampler):
    def __init__(self, repeats, *args, **kwargs):
        self.repeats = repeats
        kwargs.setdefault("num_replicas", xr.world_size())
        kwargs.setdefault("rank", xr.global_ordinal())
        super().__init__(*args, **kwargs)

    def __iter__(self):
        return itertools.chain.from_iterable(super(RepeatedDistributedSampler, self).__iter__() for _ in range(self.repeats))


class ShuffledSampler(DistributedSampler):
    def __init__(self, dataset, seed=0):
        super().__init__(dataset, shuffle=True, seed=seed, num_replicas=xr.world_size(), rank=xr.global_ordinal())
