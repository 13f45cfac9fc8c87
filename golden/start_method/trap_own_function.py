import torch
import torch.distributed as dist


def set_start_method(name):
    print(name)


def main():
    set_start_method("spawn")
    dist.init_process_group("nccl")


if __name__ == "__main__":
    main()
