import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def train(batch_size):
    dist.init_process_group("nccl")
    if xm.get_ordinal() in {-1, 0}:
        print("first", xm.xrt_world_size())
    return batch_size // xm.xrt_world_size(), torch.device('cuda', xm.get_local_ordinal())


if __name__ == "__main__":
    train(16 * xm.xrt_world_size())
