import copy

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset


class Mean(AveragedModel):
    def __init__(self, model, decay):
        super().__init__(model, avg_fn=lambda mean, value, count: decay * mean + (1 - decay) * value)


class Encoder:
    def __init__(self, device="cuda"):
        self.device = device
        self._net = nn.Linear(8, 2).to(self.device)
        self.net = AveragedModel(self._net)
        self.net.update_parameters(self._net)
        self.mean = Mean(self._net, 0.9)
        self.mean.update_parameters(self._net)
        self.iterations = 0

    def fit(self, data, every):
        loader = DataLoader(TensorDataset(data), batch_size=8, shuffle=True, drop_last=True)
        optimizer = torch.optim.AdamW(self._net.parameters(), lr=1e-3)
        total = 0
        for batch in loader:
            x = batch[0].to(self.device)
            optimizer.zero_grad()
            loss = self._net(x).pow(2).mean()
            loss.backward()
            optimizer.step()
            if self.iterations % every == 0:
                self.net.update_parameters(self._net)
            self.mean.update_parameters(self._net)
            total += loss.item()
            self.iterations += 1
        print(total)


def become(target, source):
    for q, p in zip(target.parameters(), source.parameters()):
        q.data.copy_(p.data)


def soften(target, source, tau):
    for q, p in zip(target.parameters(), source.parameters()):
        q.data.copy_(tau * p.data + (1 - tau) * q.data)


def play(steps):
    net, target = nn.Linear(8, 2).cuda(), nn.Linear(8, 2).cuda()
    teacher, student = nn.Linear(8, 2).cuda(), nn.Linear(8, 2).cuda()
    become(target, net)
    state = copy.deepcopy(net.state_dict())
    teacher.load_state_dict(state)
    student.load_state_dict({k: v.clone() for k, v in net.state_dict().items()})
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(steps):
        loss = (net(torch.randn(4, 8).cuda()) - target(torch.randn(4, 8).cuda()).detach()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        soften(target, net, 0.1)
        print(step, loss.item())
    with torch.no_grad():
        print(teacher(torch.ones(1, 8).cuda()).tolist(), student(torch.ones(1, 8).cuda()).tolist())
        for p, q in zip(net.parameters(), teacher.parameters()):
            q.copy_(p)
    return net, teacher


if __name__ == "__main__":
    Encoder().fit(torch.randn(64, 8), 3)
    play(4)
