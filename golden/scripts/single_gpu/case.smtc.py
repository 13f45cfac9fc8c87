"""Train a small ConvNet to tell four kinds of 16x16 shapes apart on one GPU."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

SEED = 1234
EPOCHS = 3
BATCH_SIZE = 16
LR = 2e-3
LOG_INTERVAL = 2
CLASSES = ("square", "cross", "stripe", "blob")


class Shapes(Dataset):
    """Noisy one-channel pictures, drawn once and kept in memory."""

    def __init__(self, n_samples, seed):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(len(CLASSES), (n_samples,), generator=g)
        self.images = 0.3 * torch.randn(n_samples, 1, 16, 16, generator=g)
        for img, label in zip(self.images, self.labels.tolist()):
            r, c = torch.randint(3, 8, (2,), generator=g).tolist()
            if label == 0:
                img[0, r:r + 6, c:c + 6] += 1.0
            elif label == 1:
                img[0, r + 2, :] += 1.0
                img[0, :, c + 2] += 1.0
            elif label == 2:
                img[0, ::3, :] += 1.0
            else:
                img[0, r, c] += 4.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class ConvNet(nn.Module):
    def __init__(self, num_classes=4):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, 12, 3, padding=1)
        self.fc = nn.Linear(12 * 4 * 4, num_classes)

    def forward(self, x):
        x = F.avg_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.avg_pool2d(torch.tanh(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def train(model, loader, criterion, optimizer, device, epoch):
    model.train()
    start = time.time()

    def log_step(i, loss):
        print("epoch %d  [%2d/%2d]  loss %.4f" % (epoch, i, len(loader), loss.item()))

    for i, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        outputs = model(images)
        loss = criterion(outputs, labels)
        loss.backward()
        xm.optimizer_step(optimizer)

        if i % LOG_INTERVAL == 0:
            xm.add_step_closure(log_step, args=(i, loss.detach()))
    xm.mark_step()
    xm.wait_device_ops()
    print("epoch %d took %.2fs" % (epoch, time.time() - start))


def test(model, loader, criterion, device):
    model.eval()
    correct, total_loss = 0, 0.0
    with torch.no_grad():
        device_loader = pl.MpDeviceLoader(loader, device)
        for images, labels in device_loader:
            outputs = model(images)
            total_loss += criterion(outputs, labels).item() * labels.size(0)
            correct += (outputs.argmax(1) == labels).sum().item()
    n = len(loader.dataset)
    print("  test loss %.4f, accuracy %.1f%%" % (total_loss / n, 100.0 * correct / n))
    return correct / n


def main():
    torch.manual_seed(SEED)
    xm.set_rng_state(SEED)

    device = xm.xla_device()

    # 90 does not divide by 16: the last batch of an epoch holds 10 pictures
    train_loader = DataLoader(Shapes(90, seed=0), batch_size=BATCH_SIZE, shuffle=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    test_loader = DataLoader(Shapes(32, seed=1), batch_size=32)

    model = ConvNet(num_classes=len(CLASSES)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=LR)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)

    best_acc = 0.0
    for epoch in range(1, EPOCHS + 1):
        train(model, train_loader, criterion, optimizer, device, epoch)
        acc = test(model, test_loader, criterion, device)
        scheduler.step()
        if acc >= best_acc:
            best_acc = acc
            xm.save(model.state_dict(), "shapes_convnet.pt")

    print("best accuracy: %.1f%%" % (100.0 * best_acc))


if __name__ == "__main__":
    main()
