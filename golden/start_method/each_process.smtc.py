import multiprocessing
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

mp.set_start_method("forkserver", force=True)


def main():
    if mp.get_start_method(allow_none=True) != "spawn":
        mp.set_start_method("spawn", force=True)
    try:
        multiprocessing.set_start_method("spawn")
    except RuntimeError:
        pass
    multiprocessing.set_start_method("spawn", True)
    mp.set_start_method(
        "spawn",
        force=True,
    )
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


if __name__ == "__main__":
    multiprocessing.set_start_method(method="spawn", force=True)
    main()
