import torch
import torch.nn as nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, train_loader, val_loader, device):
        self.device = device
        self.model = model.to(device)
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.criterion = nn.CrossEntropyLoss()

    def train_epoch(self, epoch):
        self.model.train()
        for step, (x, y) in enumerate(pl.MpDeviceLoader(self.train_loader, self.device)):
            loss = self.criterion(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(self.optimizer)
            if step % 50 == 0:
                print(epoch, step * self.train_loader.batch_size, len(self.train_loader.dataset))

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        correct = torch.zeros((), device=self.device)
        for x, y in pl.MpDeviceLoader(self.val_loader, self.device):
            correct += self.model(x).argmax(1).eq(y).sum()
        return correct.item() / len(self.val_loader.dataset)


def main():
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
    val_loader = DataLoader(val_set, batch_size=32)
    device = xm.xla_device()
    trainer = Trainer(nn.Linear(4, 2), train_loader, val_loader, device)
    for epoch in range(3):
        trainer.train_epoch(epoch)
        print(trainer.evaluate())


if __name__ == "__main__":
    main()
