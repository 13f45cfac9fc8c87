import copy

import torch
from torch import nn


class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2).cuda()
        self.target = nn.Linear(4, 2).cuda()
        self.target.load_state_dict(self.net.state_dict())
        self.best = copy.deepcopy(self.net)

    def soften(self):
        with torch.no_grad():
            for p, q in zip(self.net.parameters(), self.target.parameters()):
                q.data.mul_(0.9).add_(p.data, alpha=0.1)


def train(agent, steps):
    student, teacher = nn.Linear(4, 2).cuda(), nn.Linear(4, 2).cuda()
    teacher.load_state_dict(
        student.state_dict(), strict=False
    )
    student.load_state_dict(torch.load("student.pt"))
    student.load_state_dict(student.state_dict())
    for step in range(steps):
        teacher.load_state_dict(student.state_dict())
        agent.soften()
