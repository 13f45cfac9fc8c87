import torch
from torch import nn


def split(network):
    decayed = [p for p in network.parameters() if p.dim() > 1]
    others = [p for p in network.parameters() if p.dim() < 2]
    return [{"params": decayed, "weight_decay": 1e-2}, {"params": others}]


def train(step, model, optimizer):
    for _ in range(3):
        optimizer.zero_grad()
        step(model).backward()
        optimizer.step()


def groups_by_a_function(device, batch):
    model = nn.Linear(4, 2)
    groups = split(model)
    model.to(device)
    train(lambda one: one(batch).sum(), model, torch.optim.Adam(groups, lr=1e-3))


def listed_by_a_comprehension(device, batch):
    nets = {"net": nn.Linear(4, 2)}
    wanted = [p for p in nets["net"].parameters() if p.requires_grad]
    nets["net"] = nets["net"].to(device)
    train(lambda one: one(batch).sum(), nets["net"], torch.optim.Adam(wanted, lr=1e-3))


def moved_with_others(device, batch):
    model, head = nn.Linear(4, 2), nn.Linear(2, 2)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=1e-3)
    model, head = [part.to(device) for part in (model, head)]
    train(lambda one: head(one(batch)).sum(), model, optimizer)


def only_counted(device, batch):
    model = nn.Linear(4, 2)
    print(sum(p.numel() for p in model.parameters()))
    model.to(device)
    train(lambda one: one(batch).sum(), model, torch.optim.Adam(model.parameters(), lr=1e-3))


def main():
    torch.manual_seed(0)
    device = torch.device("cuda")
    batch = torch.ones(2, 4, device=device)
    for each in (groups_by_a_function, listed_by_a_comprehension, moved_with_others, only_counted):
        each(device, batch)


if __name__ == "__main__":
    main()
