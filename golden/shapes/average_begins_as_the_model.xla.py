import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Mean(AveragedModel):
    def __init__(self, model, decay):
        super().__init__(model, avg_fn=lambda mean, value, count: decay * mean + (1 - decay) * value)


class Encoder:
    def __init__(self, device="xla"):
        self.device = device
        self._net = nn.Linear(8, 2).to(self.device)
        self.net = AveragedModel(self._net)
        self.net.update_parameters(self._net)
        self.net.load_state_dict({k: v.cpu() for k, v in self.net.state_dict().items()})
        self.mean = Mean(self._net, 0.9)
        self.mean.update_parameters(self._net)
        self.mean.load_state_dict({k: v.cpu() for k, v in self.mean.state_dict().items()})
        self.iterations = 0

    def fit(self, data, every):
        loader = DataLoader(TensorDataset(data), batch_size=8, shuffle=True, drop_last=True)
        loader = pl.MpDeviceLoader(loader, self.device)
        optimizer = torch.optim.AdamW(self._net.parameters(), lr=1e-3)
        total = 0
        for batch in loader:
            x = batch[0]
            optimizer.zero_grad()
            loss = self._net(x).pow(2).mean()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
            if self.iterations % every == 0:
                self.net.update_parameters(self._net)
            self.mean.update_parameters(self._net)
            total += loss.item()
            self.iterations += 1
        print(total)


def become(target, source):
    for q, p in zip(target.parameters(), source.parameters()):
        q.data.copy_(p.data.cpu())


def soften(target, source, tau):
    for q, p in zip(target.parameters(), source.parameters()):
        q.data.copy_(tau * p.data + (1 - tau) * q.data)


def play(steps):
    device = torch_xla.device()
    net, target = nn.Linear(8, 2).to(device), nn.Linear(8, 2).to(device)
    teacher, student = nn.Linear(8, 2).to(device), nn.Linear(8, 2).to(device)
    become(target, net)
    state = copy.deepcopy(net.state_dict())
    teacher.load_state_dict({k: v.cpu() for k, v in state.items()})
    student.load_state_dict({k: v.cpu() for k, v in net.state_dict().items()})
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(steps):
        loss = (net(torch.randn(4, 8).to(device)) - target(torch.randn(4, 8).to(device)).detach()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        soften(target, net, 0.1)
        print(step, loss.item())
    with torch.no_grad():
        print(teacher(torch.ones(1, 8).to(device)).tolist(), student(torch.ones(1, 8).to(device)).tolist())
        for p, q in zip(net.parameters(), teacher.parameters()):
            q.copy_(p.cpu())
    return net, teacher


if __name__ == "__main__":
    Encoder().fit(torch.randn(64, 8), 3)
    play(4)
