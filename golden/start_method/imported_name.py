import torch
import torch.distributed as dist
from torch.multiprocessing import set_start_method


def main():
    set_start_method("spawn")
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 2).cuda())
    return model


if __name__ == "__main__":
    main()
