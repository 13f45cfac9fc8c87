import torch
import torch.multiprocessing as mp


def worker(rank):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=2)


def main():
    mp.set_start_method("spawn", force=True)
    mp.spawn(worker, nprocs=2)


if __name__ == "__main__":
    main()
