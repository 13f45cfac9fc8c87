import torch
from base import BaseTrainer


class Trainer(BaseTrainer):
    """The base class keeps what a configuration made: nobody says what `self.optimizer` is, but its use."""

    def train_epoch(self, epoch):
        self.model.train()
        for batch_idx, (data, target) in enumerate(self.data_loader):
            data, target = data.cuda(), target.cuda()
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(data), target)
            loss.backward()
            self.optimizer.step()
            self.metrics.update("loss", loss.item())
        if self.lr_scheduler is not None:
            self.lr_scheduler.step()
