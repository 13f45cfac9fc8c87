"""A DataLoader of the script becomes a device loader, which marks: no barrier."""
from torch import nn, optim
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm


class Trainer:
    def __init__(self, model: nn.Module, dataset, lr):
        self.model = model.cuda()
        self.loader = DataLoader(dataset, batch_size=32)
        self.optim = optim.AdamW(self.model.parameters(), lr=lr)

    def fit(self):
        for x, y in self.loader:
            loss = nn.functional.cross_entropy(self.model(x.cuda()), y.cuda())
            loss.backward()
            xm.optimizer_step(self.optim)
            self.optim.zero_grad()
