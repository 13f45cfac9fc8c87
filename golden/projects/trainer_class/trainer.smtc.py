import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import autocast

from base import BaseTrainer


class Trainer(BaseTrainer):
    """
    Trainer class
    """
    def __init__(self, model, criterion, optimizer, config, data_loader, valid_data_loader=None, lr_scheduler=None):
        super().__init__(model, criterion, optimizer, config)
        self.data_loader = data_loader
        self.valid_data_loader = valid_data_loader
        self.lr_scheduler = lr_scheduler
        self.log_step = 2

    def _train_epoch(self, epoch):
        self.model.train()
        total_loss = 0.0
        for batch_idx, (data, target) in enumerate(pl.MpDeviceLoader(self.data_loader, self.device)):
            self.optimizer.zero_grad()
            with autocast(enabled=self.config.amp):
                output = self.model(data)
                loss = self.criterion(output, target)
            self.scaler.scale(loss).backward()
            gradients = xm._fetch_gradients(self.optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            if self.config.optim.max_norm is not None:
                self.scaler.unscale_(self.optimizer)
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.optim.max_norm)
            self.scaler.step(self.optimizer)
            self.scaler.update()
            xm.mark_step()

            total_loss += loss.item()
            if batch_idx % self.log_step == 0:
                print("Train Epoch: {} {} Loss: {:.6f}".format(epoch, self._progress(batch_idx), loss.item()))

        log = {"loss": total_loss / len(self.data_loader)}
        if self.valid_data_loader is not None:
            log["val_loss"] = self._valid_epoch(epoch)
        if self.lr_scheduler is not None:
            self.lr_scheduler.step()
        return log

    def _valid_epoch(self, epoch):
        self.model.eval()
        total = torch.zeros((), device=self.device)
        with torch.no_grad():
            for data, target in pl.MpDeviceLoader(self.valid_data_loader, self.device):
                total += self.criterion(self.model(data), target)
        return total.item() / len(self.valid_data_loader)

    def _progress(self, batch_idx):
        current = batch_idx * self.data_loader.batch_size
        total = len(self.data_loader.dataset)
        return "[{}/{} ({:.0f}%)]".format(current, total, 100.0 * current / total)
