import torch
import torch_xla.core.xla_model as xm


def main_worker(model, args):
    device = xm.xla_device()
    if args.distributed:
        args.batch_size = int(args.batch_size / xm.xrt_world_size())
    model = model.to(device)
    return model
