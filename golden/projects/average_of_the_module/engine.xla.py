import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train_epoch(device, loader, model, optimizer, average):
    model.train()
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)
        for name, value in model.state_dict().items():
            average[name] = 0.9 * average[name] + 0.1 * value
