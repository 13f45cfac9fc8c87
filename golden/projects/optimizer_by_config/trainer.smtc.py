import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, optimizer, scheduler, loader, device):
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.loader = loader
        self.device = device
        self.steps = 0

    def run(self, epochs):
        for epoch in range(epochs):
            self.loader.sampler.set_epoch(epoch)
            for batch in pl.MpDeviceLoader(self.loader, self.device):
                self._train_step(batch)

    def _train_step(self, batch):
        x, y = (part.to(self.device) for part in batch)
        made = self.model["generator"](x)
        loss = torch.nn.functional.mse_loss(made, y) - 0.1 * self.model["critic"](made).mean()
        self.optimizer["generator"].zero_grad()
        loss.backward()
        xm.reduce_gradients(self.optimizer["generator"])
        torch.nn.utils.clip_grad_norm_(self.model["generator"].parameters(), 1.0)
        self.optimizer["generator"].step()
        self.scheduler["generator"].step()

        with torch.no_grad():
            made = self.model["generator"](x)
        loss = self.model["critic"](made).mean() - self.model["critic"](y).mean()
        self.optimizer["critic"].zero_grad()
        loss.backward()
        xm.optimizer_step(self.optimizer["critic"])
        self.scheduler["critic"].step()
        self.steps += 1
