"""A ParallelLoader that is wrapped once outside the epoch loop gives no batches from the second epoch on."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader = torch.utils.data.DataLoader(train_set, batch_size=8, drop_last=True)
    val_loader = torch.utils.data.DataLoader(val_set, batch_size=8)
    train_device_loader = pl.MpDeviceLoader(train_loader, device)
    val_device_loader = pl.MpDeviceLoader(val_loader, device)
    for epoch in range(3):
        model.train()
        for x, y in train_device_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)
        model.eval()
        correct = 0
        with torch.no_grad():
            for x, y in val_device_loader:
                correct += model(x).argmax(1).eq(y).sum()
        print(epoch, correct.item())


if __name__ == "__main__":
    main()
