import torch
import torch_xla.core.xla_model as xm


def launched():
    return (
        xm.xrt_world_size() > 1
    )


def train(model):
    if xm.xrt_world_size() > 1 and launched():
        torch.distributed.init_process_group("nccl")
    return model.cuda()
