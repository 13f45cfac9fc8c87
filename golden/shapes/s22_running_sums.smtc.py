"""Running sums and meters read a value in every iteration; a sum of tensors keeps every graph alive."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


def accuracy(output, target):
    return (output.argmax(1) == target).float().mean() * 100


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(16, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=8, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    losses, top1, running = AverageMeter(), AverageMeter(), 0
    for i, (images, target) in enumerate(loader):
        output = model(images)
        loss = torch.nn.functional.cross_entropy(output, target)
        losses.update(loss.item(), images.size(0))
        top1.update(accuracy(output, target).item(), images.size(0))
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
        running += loss
        if i % 10 == 0:
            print("loss {:.4f} acc {:.2f}".format(losses.avg, top1.avg))
    print(running / len(loader))


if __name__ == "__main__":
    main()
