"""apex imported where it is used, and where nothing uses it; its Adam decays no weights unless told to."""
import torch
from apex import amp
from torch.utils.data import DataLoader


def prepare(args, model):
    model.cuda()
    if args.local_rank != -1:
        try:
            from apex.parallel import DistributedDataParallel as DDP
        except ImportError:
            raise ImportError("Please install apex to use distributed training.")

        model = DDP(model)

    try:
        from apex.optimizers import FusedAdam
    except ImportError:
        raise ImportError("Please install apex.")

    groups = [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.01},
              {"params": [p for p in model.parameters() if p.ndim <= 1]}]
    return model, FusedAdam(groups, lr=args.lr)


def train(args, model, dataset):
    model, optimizer = prepare(args, model)
    for x, y in DataLoader(dataset, batch_size=8, drop_last=True):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
