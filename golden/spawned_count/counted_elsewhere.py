import torch
from torch.multiprocessing import spawn


def run(rank, config):
    torch.distributed.init_process_group("nccl", world_size=config["n"], rank=rank)


if __name__ == "__main__":
    assert torch.cuda.device_count() > 1
    config = {"n": torch.cuda.device_count(), "lr": 0.1}
    spawn(run, (config,), torch.cuda.device_count())
