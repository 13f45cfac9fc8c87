import torch
import torch.multiprocessing as mp


def worker(
    rank,
    world_size,  # how many
    lr=0.1,
):
    print(rank, lr)


def main(args):
    """Start them."""
    n = torch.cuda.device_count()
    mp.spawn(
        worker,
        args=(
            n,
            0.2,
        ),
        nprocs=n,
    )
    worker(0, n, lr=0.3)
    worker(0, world_size=n)
