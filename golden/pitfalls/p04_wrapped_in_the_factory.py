"""A loader that its factory wraps already must not be wrapped again in the loop: torch_xla 2.9 gives no batches then."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def get_loader(dataset, device):
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True, drop_last=True)
    return pl.MpDeviceLoader(loader, device)


def train(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader = get_loader(train_set, device)
    for epoch in range(3):
        train(model, train_loader, optimizer, device)


if __name__ == "__main__":
    main()
