"""The loss is scaled in a helper; the loop that steps is given its scaler from another file."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def backward(total_loss):
    total_loss.backward()


def train_one_epoch(model, loader, optimizer, scaler, args):
    device = torch_xla.device()
    loader = pl.MpDeviceLoader(loader, device)
    for images, labels in loader:
        optimizer.zero_grad()
        backward(torch.nn.functional.cross_entropy(model(images), labels))
        xm.reduce_gradients(optimizer)
        if args.clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
