"""The loss is scaled in a helper; the loop that steps is given its scaler from another file."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def backward(total_loss, scaler):
    if scaler is not None:
        scaler.scale(total_loss).backward()
    else:
        total_loss.backward()


def train_one_epoch(model, loader, optimizer, scaler, args):
    device = xm.xla_device()
    loader = pl.MpDeviceLoader(loader, device)
    for images, labels in loader:
        optimizer.zero_grad()
        backward(torch.nn.functional.cross_entropy(model(images), labels), scaler)
        if scaler is not None:
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            if args.clip is not None:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            scaler.step(optimizer)
            scaler.update()
        else:
            xm.reduce_gradients(optimizer)
            if args.clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
