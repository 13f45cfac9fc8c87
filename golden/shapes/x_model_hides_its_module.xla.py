import torch
import torch.nn as nn
import torch_xla

import model

device = torch_xla.device()
model = model.Tagger(100, 32).to(device)
criterion = nn.CrossEntropyLoss()
words = torch.randint(100, (64, 10)).to(device)
tags = torch.randint(5, (64,)).to(device)


def evaluate():
    model.eval()
    total = 0.0
    with torch.no_grad():
        for i in range(0, 64, 16):
            output = model(words[i : i + 16])
            torch_xla.sync()
            total += criterion(output, tags[i : i + 16]).item()
    return total


def train(lr):
    model.train()
    for i in range(0, 64, 16):
        model.zero_grad()
        criterion(model(words[i : i + 16]), tags[i : i + 16]).backward()
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        torch_xla.sync()


train(0.1)
with open("best.pt", "wb") as f:
    torch.save(model, f)
with open("best.pt", "rb") as f:
    model = torch.load(f, weights_only=False, map_location="cpu").to(device)
print(evaluate())
