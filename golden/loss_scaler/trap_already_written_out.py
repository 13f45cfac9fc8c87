import torch
import torch_xla.core.xla_model as xm
from timm.utils import NativeScaler


def train(model, loader, optimizer, max_norm, scaler: NativeScaler):
    for x, y in loader:
        loss = model(x, y)
        optimizer.zero_grad()
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        optimizer.step()
        xm.mark_step()
    return scaler.state_dict()
