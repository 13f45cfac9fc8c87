import torch
import torch_xla.core.xla_model as xm
from timm.utils import NativeScaler


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler, max_norm=None, second_order=False):
    for samples, targets in data_loader:
        samples, targets = samples.to(device), targets.to(device)
        with torch.cuda.amp.autocast():
            loss = criterion(model(samples), targets)
        optimizer.zero_grad()

        # this attribute is added by timm on one optimizer (adahessian)
        loss.backward(create_graph=second_order)
        xm.reduce_gradients(optimizer)
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        torch.cuda.synchronize()


def main(model, criterion, loader, optimizer):
    device = torch.device("cuda")
    train_one_epoch(model.to(device), criterion, loader, optimizer, device, NativeScaler(), max_norm=1.0)
