import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


class Settings:
    def __init__(self, gpus):
        self.gpus = gpus

    @property
    def distributed(self):
        return self.gpus is not None and self.gpus > 1


class Trainer:
    def __init__(self, settings):
        self.settings = settings

    def fit(self, epochs):
        if self.settings.distributed:
            self._fit(xm.get_local_ordinal(), epochs)
        else:
            self._fit(0, epochs)

    def _fit(self, rank, epochs):
        if self.settings.distributed:
            self.settings.gpus = xm.xrt_world_size()
        device = xm.xla_device()
        model = nn.Linear(8, 2).to(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        if self.settings.distributed:
            xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
            xm.mark_step()
        for epoch in range(epochs):
            for _ in range(10):
                metrics = self._step(model, optimizer)
            if rank == 0:
                print(epoch, metrics)

    def _step(self, model, optimizer):
        device = xm.xla_device()
        loss = model(torch.randn(4, 8).to(device)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        return {name: self._mean(value) for name, value in {"loss": loss, "root": loss.sqrt()}.items()}

    def _mean(self, tensor):
        if self.settings.distributed:
            tensor = tensor.clone()
            xm.all_reduce(xm.REDUCE_SUM, [tensor])
            return (tensor / self.settings.gpus).item()
        return tensor.item()
