import os

import torch
from torch.nn.parallel import DistributedDataParallel as DDP
import torch_xla.core.xla_model as xm


def train(args, model, logger):
    if args.distributed:
        model = DDP(model)
    for epoch in range(args.epochs):
        if args.save:
            if args.local_rank == 0:
                print("saving model...")
            obj = {"epoch": epoch + 1}
            if args.distributed:
                obj["model"] = model.module.state_dict()
            else:
                obj["model"] = model.state_dict()
            if args.local_rank == 0:
                os.makedirs(args.save, exist_ok=True)
            path = os.path.join(args.save, f"epoch_{epoch}.pt")
            xm.save(obj, path)
            if args.local_rank == 0:
                logger.log("model path", path)
