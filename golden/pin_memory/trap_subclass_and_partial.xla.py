from functools import partial

import timm.data
from torch.utils.data import DataLoader


class InfiniteLoader(DataLoader):
    def __init__(self, dataset, **kwargs):
        super().__init__(dataset, **kwargs)


make_loader = partial(DataLoader, num_workers=2)
loader = InfiniteLoader(dataset, batch_size=4)
other = timm.data.create_loader(dataset, (3, 224, 224), 64, pin_memory=args.pin_mem)
