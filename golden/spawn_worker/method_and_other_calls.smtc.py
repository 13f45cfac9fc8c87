import torch
import torch.multiprocessing as mp


def worker(
    rank,
    lr=0.1,
):
    print(rank, lr)


def main(args):
    """Start them."""
    mp.spawn(
        worker,
        args=(
            0.2,
        ),
    )
    worker(0, lr=0.3)
    worker(0)
