import torch
import torch.distributed as dist
import torch_xla

steps = 40


def batch():
    return torch.zeros(2).to(device)


def main():
    global steps, device
    device = "cuda"

    dist.init_process_group("nccl")
    steps //= dist.get_world_size()
    for step in range(steps):
        batch()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
