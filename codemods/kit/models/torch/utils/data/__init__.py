"""torch.utils.data: what a loader hands out, and which share of the data a process gets."""

from meaning import batch, collated, combine, fresh, same_order, say, share

from . import distributed
from .distributed import DistributedSampler


class Dataset:
    def __len__(self):
        return fresh("length")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    pass


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([one[index] for one in self.tensors])


class Subset(Dataset):
    def __init__(self, dataset, indices=None):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        return self.dataset[index]


class ConcatDataset(Dataset):
    def __init__(self, datasets):
        self.datasets = [one for one in datasets]

    def __getitem__(self, index):
        return self.datasets[0][index]


def random_split(dataset, lengths, *given, **more):
    return [Subset(dataset) for one in lengths]


class Sampler:
    def __init__(self, *given, **more):
        return None

    def __iter__(self):
        yield fresh("index", "varying")

    def __len__(self):
        return fresh("length")


class RandomSampler(Sampler):
    pass


class SequentialSampler(Sampler):
    pass


class WeightedRandomSampler(Sampler):
    pass


class SubsetRandomSampler(Sampler):
    pass


class BatchSampler(Sampler):
    def __init__(self, sampler=None, *given, **more):
        self.sampler = sampler


class DataLoader:
    def __init__(self, dataset=None, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, **more):
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler if sampler is not None else Sampler()
        self.batch_sampler = batch_sampler
        self.shuffle = shuffle
        if shuffle is True and sampler is not None:
            say(
                "what is asked of a value exists",
                "a loader that has a sampler takes no shuffle=True: this is an exception",
            )
        self.collate_fn = collate_fn
        self.num_workers = num_workers
        self.drop_last = more.get("drop_last")
        share(self, dataset, sampler, batch_sampler, batch_size)

    def __len__(self):
        return fresh("batches")

    def __iter__(self):
        same_order(self)
        for one in batch(self):
            yield one


def default_collate(samples):
    return collated(samples[0])


def get_worker_info():
    return None


def __getattr__(name):
    return Dataset
