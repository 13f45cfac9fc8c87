import copy

import torch
from torch import nn

from average import Average, snapshot


class Agent:
    def __init__(self, device):
        self.policy = nn.Linear(4, 2).to(device)
        self.log_alpha = nn.Parameter(torch.zeros(1, device=device))
        self.average = Average(self.policy)

    def save(self, path):
        torch.save({"policy": self.policy.state_dict(), "log_alpha": self.log_alpha, "more": [self.log_alpha, 3]}, path)

    def save_parts(self, path):
        parts = {name: parameter for name, parameter in self.policy.named_parameters()}
        torch.save(parts, path)
        torch.save(self.log_alpha, "alpha.pt")


def main():
    device = torch.device("cuda")
    agent = Agent(device)
    ema = copy.deepcopy(list(agent.policy.parameters()))
    optimizer = torch.optim.SGD([*agent.policy.parameters(), agent.log_alpha], lr=0.1)
    for step in range(3):
        loss = agent.policy(torch.randn(8, 4, device=device)).mean() * agent.log_alpha.exp().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        agent.average.update(agent.policy)
    agent.save("agent.pt")
    agent.save_parts("parts.pt")
    torch.save(snapshot(agent.policy, ema), "ema.pt")
    torch.save(agent.average.state(), "average.pt")
    torch.save(list(agent.policy.parameters()), "list.pt")


if __name__ == "__main__":
    main()
