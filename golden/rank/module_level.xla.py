import torch
import torch.distributed as dist
import torch_xla.runtime as xr


def train(batch_size):
    dist.init_process_group("nccl")
    if xr.global_ordinal() in {-1, 0}:
        print("first", xr.world_size())
    return batch_size // xr.world_size(), torch.device('cuda', xr.local_ordinal())


if __name__ == "__main__":
    train(16 * xr.world_size())
