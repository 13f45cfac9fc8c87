import os
from abc import abstractmethod

import torch


class BaseTrainer:
    """
    Base class for all trainers
    """
    def __init__(self, model, criterion, optimizer, config):
        self.config = config
        # setup GPU device if available, move model into configured device
        self.device = torch.device(config.device if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.criterion = criterion
        self.optimizer = optimizer
        self.scaler = torch.cuda.amp.GradScaler(enabled=config.amp)
        self.epochs = config.epochs
        self.start_epoch = 1
        self.best = float("inf")
        self.checkpoint_dir = config.save_dir
        os.makedirs(self.checkpoint_dir, exist_ok=True)
        if config.resume is not None:
            self._resume_checkpoint(config.resume)

    @abstractmethod
    def _train_epoch(self, epoch):
        raise NotImplementedError

    def train(self):
        for epoch in range(self.start_epoch, self.epochs + 1):
            result = self._train_epoch(epoch)
            print("    {:15s}: {}".format("epoch", epoch))
            for key, value in result.items():
                print("    {:15s}: {:.4f}".format(str(key), value))
            best = result["val_loss"] < self.best
            self.best = min(self.best, result["val_loss"])
            if epoch % self.config.save_period == 0:
                self._save_checkpoint(epoch, save_best=best)

    def _save_checkpoint(self, epoch, save_best=False):
        state = {
            "arch": type(self.model).__name__,
            "epoch": epoch,
            "state_dict": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scaler": self.scaler.state_dict(),
            "monitor_best": self.best,
        }
        filename = os.path.join(self.checkpoint_dir, "checkpoint-epoch{}.pth".format(epoch))
        torch.save(state, filename)
        print("Saving checkpoint: {} ...".format(filename))
        if save_best:
            torch.save(state, os.path.join(self.checkpoint_dir, "model_best.pth"))

    def _resume_checkpoint(self, resume_path):
        checkpoint = torch.load(resume_path, map_location=self.device)
        self.start_epoch = checkpoint["epoch"] + 1
        self.model.load_state_dict(checkpoint["state_dict"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.scaler.load_state_dict(checkpoint["scaler"])
