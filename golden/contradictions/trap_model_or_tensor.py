"""A move is right for both."""
import torch


def to_device(thing, device):
    return thing.to(device)


device = torch.device("cuda")
model = to_device(torch.nn.Linear(2, 2), device)
batch = to_device(torch.ones(4, 2), device)
print(model(batch))
