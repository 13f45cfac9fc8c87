import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler, max_norm=None, second_order=False):
    for samples, targets in data_loader:
        samples, targets = samples.to(device), targets.to(device)
        with torch.cuda.amp.autocast():
            loss = criterion(model(samples), targets)
        optimizer.zero_grad()

        # this attribute is added by timm on one optimizer (adahessian)
        loss_scaler.scale(loss).backward(create_graph=second_order)
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        if max_norm is not None:
            loss_scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        loss_scaler.step(optimizer)
        loss_scaler.update()
        torch.cuda.synchronize()


def main(model, criterion, loader, optimizer):
    device = torch.device("cuda")
    train_one_epoch(model.to(device), criterion, loader, optimizer, device, GradScaler(), max_norm=1.0)
