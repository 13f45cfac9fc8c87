import torch
from torch import nn


def build(args, n_gpu):
    model = nn.Linear(4, 2)
    model.to(args.device)
    model_without_ddp = model
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
        model_without_ddp = model.module
    elif n_gpu > 1:
        model = nn.DataParallel(model)
    raw = model.module if args.distributed else model
    state = getattr(model, "module", model).state_dict()
    ema = nn.parallel.DistributedDataParallel(raw) if args.distributed else raw
    return model, model_without_ddp, state, ema
