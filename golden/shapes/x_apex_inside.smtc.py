"""apex imported where it is used, and where nothing uses it; its Adam decays no weights unless told to."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def prepare(args, model):
    device = xm.xla_device()
    model.to(device)
    if args.local_rank != -1:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()

    groups = [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.01},
              {"params": [p for p in model.parameters() if p.ndim <= 1]}]
    return model, torch.optim.AdamW(groups, lr=args.lr, weight_decay=0.0)


def train(args, model, dataset):
    model, optimizer = prepare(args, model)
    device = xm.xla_device()
    for x, y in pl.MpDeviceLoader(DataLoader(dataset, batch_size=8, drop_last=True), device):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        xm.optimizer_step(optimizer)
