"""The optimizer is built before the model moves: on XLA it would keep Parameters that nothing trains."""
import argparse

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def make_optimizer(net, lr):
    decay = [p for n, p in net.named_parameters() if n.endswith("weight")]
    rest = [p for n, p in net.named_parameters() if not n.endswith("weight")]
    return optim.SGD([{"params": decay, "weight_decay": 1e-4}, {"params": rest}], lr=lr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    loader = DataLoader(data, batch_size=16, drop_last=True)

    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    criterion = nn.CrossEntropyLoss()
    device = torch_xla.device()
    model = model.to(device)
    optimizer = optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=args.lr)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1)

    loader = pl.MpDeviceLoader(loader, device)
    criterion = criterion.to(device)
    for epoch in range(2):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)
        scheduler.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
