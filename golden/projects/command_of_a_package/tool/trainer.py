import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn


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
            mp.spawn(self._fit, args=(epochs,), nprocs=self.settings.gpus)
        else:
            self._fit(0, epochs)

    def _fit(self, rank, epochs):
        if self.settings.distributed:
            torch.cuda.set_device(rank)
            dist.init_process_group("nccl", init_method="tcp://127.0.0.1:8000", world_size=self.settings.gpus, rank=rank)
        model = nn.Linear(8, 2).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        if self.settings.distributed:
            model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
        for epoch in range(epochs):
            for _ in range(10):
                metrics = self._step(model, optimizer)
            if rank == 0:
                print(epoch, metrics)

    def _step(self, model, optimizer):
        loss = model(torch.randn(4, 8).cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return {name: self._mean(value) for name, value in {"loss": loss, "root": loss.sqrt()}.items()}

    def _mean(self, tensor):
        if self.settings.distributed:
            tensor = tensor.clone()
            dist.all_reduce(tensor, op=dist.ReduceOp.SUM)
            return (tensor / self.settings.gpus).item()
        return tensor.item()
