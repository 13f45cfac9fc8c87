import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def main():
    mp.set_start_method("spawn", force=True)
    dist.init_process_group("nccl")


if __name__ == "__main__":
    main()
