import os

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def train(args, model, logger):
    if args.distributed:
        model = DDP(model)
    for epoch in range(args.epochs):
        if args.save and args.local_rank == 0:
            print("saving model...")
            obj = {"epoch": epoch + 1}
            if args.distributed:
                obj["model"] = model.module.state_dict()
            else:
                obj["model"] = model.state_dict()
            os.makedirs(args.save, exist_ok=True)
            path = os.path.join(args.save, f"epoch_{epoch}.pt")
            torch.save(obj, path)
            logger.log("model path", path)
