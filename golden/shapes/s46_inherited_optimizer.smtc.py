import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from base import BaseTrainer


class Trainer(BaseTrainer):
    """The base class keeps what a configuration made: nobody says what `self.optimizer` is, but its use."""

    def train_epoch(self, epoch):
        self.model.train()
        device = xm.xla_device()
        for batch_idx, (data, target) in enumerate(pl.MpDeviceLoader(self.data_loader, device)):
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(data), target)
            loss.backward()
            xm.optimizer_step(self.optimizer, barrier=True)
            self.metrics.update("loss", loss.item())
        if self.lr_scheduler is not None:
            self.lr_scheduler.step()
