import torch
import torch_xla.distributed.xla_multiprocessing as xmp
from torch.nn.parallel import DistributedDataParallel as DDP


def _mp_fn(index):
    model = DDP(torch.nn.Linear(2, 2), gradient_as_bucket_view=True)


if __name__ == "__main__":
    xmp.spawn(_mp_fn)
