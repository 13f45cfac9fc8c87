import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, *args, **kwargs):
        self.args = kwargs["args"]
        self.model = kwargs["model"].to(self.args.device)
        self.optimizer = kwargs.pop("optimizer", None)

    def train(self, loader):
        loader = pl.MpDeviceLoader(loader, self.args.device)
        for images, labels in loader:
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(images), labels).backward()
            xm.optimizer_step(self.optimizer)
