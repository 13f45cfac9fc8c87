"""torch.utils.data.distributed."""

from meaning import event, fresh


class DistributedSampler:
    def __init__(self, dataset=None, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.shuffle = shuffle
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch
        event("set epoch")

    def __iter__(self):
        yield fresh("index", "varying", "rank")

    def __len__(self):
        return fresh("length")


def __getattr__(name):
    return DistributedSampler
