import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def fit(net, loader, optimizer, config):
    loader = pl.MpDeviceLoader(loader, config.device)
    for epoch in range(config.epochs):
        for features, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(net(features), labels)
            loss.backward()
            xm.optimizer_step(optimizer)
        print(f"epoch {epoch}: loss {loss.item():.4f}")


def accuracy(net, loader, config):
    correct = torch.zeros(1, device=config.device)
    with torch.no_grad():
        device_loader = pl.MpDeviceLoader(loader, config.device)
        for features, labels in device_loader:
            predicted = net(features).argmax(dim=1)
            correct += (predicted == labels).sum()
    return correct.item() / len(loader.dataset)
