# ruff: noqa: E501
"""Small training programs for CUDA, each with something of its own that a migration can get wrong."""

from __future__ import annotations

HEAD = """\
import copy
import csv
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
device = torch.device("cuda")
"""

MLP = """\
data = TensorDataset(torch.randn(32, 6), torch.randint(0, 3, (32,)))
loader = DataLoader(data, batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
for epoch in range(2):
    total = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(loader):.5f}")
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}
    torch.save(state, "last.pt")
"""

CONV = """\
train = TensorDataset(torch.randn(24, 1, 6, 6), torch.randint(0, 2, (24,)))
test = TensorDataset(torch.randn(16, 1, 6, 6) + 1, torch.randint(0, 2, (16,)))
train_loader, test_loader = DataLoader(train, batch_size=6), DataLoader(test, batch_size=8)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.2), nn.Flatten(), nn.Linear(64, 2))
model = model.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.99))
for epoch in range(2):
    model.train()
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x / 2), y)
        loss.backward()
        optimizer.step()
    model.eval()
    lost, right = 0.0, 0
    with torch.no_grad():
        for x, y in test_loader:
            x, y = x.to(device), y.to(device)
            out = model(x / 2)
            lost += F.cross_entropy(out, y).item()
            right += (out.argmax(1) == y).sum().item()
    print(f"epoch {epoch} test loss {lost / 2:.4f} accuracy {right / 16:.3f}")
torch.save(model.state_dict(), "model.pt")
"""

SCHEDULE = """\
loader = DataLoader(TensorDataset(torch.randn(30, 5), torch.randn(30, 1)), batch_size=6)
model = nn.Linear(5, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
decay = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
for epoch in range(2):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        if epoch == 0:
            warmup.step()
    decay.step()
    print("epoch", epoch, "lr", optimizer.param_groups[0]["lr"])
"""

AVERAGE = """\
loader = DataLoader(TensorDataset(torch.randn(32, 5), torch.randn(32, 2)), batch_size=4)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
average = copy.deepcopy(model)
for p in average.parameters():
    p.requires_grad_(False)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for kept, new in zip(average.parameters(), model.parameters()):
            kept.mul_(0.9).add_(new, alpha=0.1)
torch.save({"average": average.state_dict()}, "average.pt")
"""

SHADOW = """\
class Shadow:
    def __init__(self, model, decay):
        self.decay = decay
        self.kept = {name: p.detach().clone() for name, p in model.named_parameters()}

    def update(self, model):
        with torch.no_grad():
            for name, p in model.named_parameters():
                self.kept[name].mul_(self.decay).add_(p, alpha=1 - self.decay)


loader = DataLoader(TensorDataset(torch.randn(24, 4), torch.randn(24, 1)), batch_size=4)
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1)).to(device)
shadow = Shadow(model, 0.99)
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.005, alpha=0.9)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    loss = F.l1_loss(model(x), y)
    loss.backward()
    optimizer.step()
    shadow.update(model)
"""

ACCUMULATE = """\
loader = DataLoader(TensorDataset(torch.randn(48, 4), torch.randn(48, 1)), batch_size=4)
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
optimizer.zero_grad()
for i, (x, y) in enumerate(loader):
    x, y = x.to(device), y.to(device)
    loss = F.mse_loss(model(x), y) / 2
    loss.backward()
    if (i + 1) % 2 == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
"""

GAN = """\
loader = DataLoader(TensorDataset(torch.randn(32, 2)), batch_size=4)
generator = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)).to(device)
optimizer_g = torch.optim.Adam(generator.parameters(), lr=0.01, betas=(0.5, 0.9))
optimizer_c = torch.optim.Adam(critic.parameters(), lr=0.02, betas=(0.5, 0.9))
for (real,) in loader:
    real = real.to(device)
    made = generator(torch.randn(4, 3, device=device))
    optimizer_c.zero_grad()
    loss_c = F.softplus(critic(made.detach())).mean() + F.softplus(-critic(real)).mean()
    loss_c.backward()
    optimizer_c.step()
    optimizer_g.zero_grad()
    loss_g = F.softplus(-critic(made)).mean()
    loss_g.backward()
    optimizer_g.step()
"""

GROUPS = """\
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        out, _ = self.attention(x, x, x, need_weights=False)
        return self.head(self.norm(x + out).mean(1))


loader = DataLoader(TensorDataset(torch.randn(24, 5, 8), torch.randint(0, 3, (24,))), batch_size=4)
model = Block().to(device)
decayed = [p for p in model.parameters() if p.ndim > 1]
plain = [p for p in model.parameters() if p.ndim <= 1]
optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], lr=0.003)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""

PLATEAU = """\
train_loader = DataLoader(TensorDataset(torch.randn(16, 4), torch.randn(16, 1)), batch_size=4)
valid_loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randn(8, 1)), batch_size=4)
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.4)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.3, patience=0)
rows = []
for epoch in range(4):
    train_loss = valid_loss = 0.0
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() / 4
    with torch.no_grad():
        for x, y in valid_loader:
            x, y = x.to(device), y.to(device)
            valid_loss += F.mse_loss(model(x), y).item() / 2
    scheduler.step(valid_loss)
    rows.append((epoch, round(train_loss, 5), round(valid_loss, 5)))
    with open("log.csv", "w") as file:
        csv.writer(file).writerows(rows)
"""

RECURRENT = """\
tokens = torch.randint(0, 9, (4, 33))
embed, cell, head = nn.Embedding(9, 6).to(device), nn.GRUCell(6, 8).to(device), nn.Linear(8, 9).to(device)
parameters = [*embed.parameters(), *cell.parameters(), *head.parameters()]
optimizer = torch.optim.Adagrad(parameters, lr=0.1)
hidden = torch.zeros(4, 8, device=device)
for start in range(0, 32, 4):
    part = tokens[:, start : start + 5].to(device)
    hidden = hidden.detach()
    loss = 0.0
    for step in range(4):
        hidden = cell(embed(part[:, step]), hidden)
        loss = loss + F.cross_entropy(head(hidden), part[:, step + 1]) / 4
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

FROZEN = """\
body = nn.Sequential(nn.Linear(6, 10), nn.ReLU()).to(device)
head = nn.Linear(10, 2).to(device)
for p in body.parameters():
    p.requires_grad = False
loader = DataLoader(TensorDataset(torch.randn(24, 6), torch.randint(0, 2, (24,))), batch_size=4)
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
for x, y in loader:
    x, y = x.to(device), y.to(device)
    loss = F.cross_entropy(head(body(x)), y, weight=torch.tensor([1.0, 2.0], device=device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

VAE = """\
loader = DataLoader(TensorDataset(torch.rand(32, 8)), batch_size=4)
encode, decode = nn.Linear(8, 6).to(device), nn.Linear(3, 8).to(device)
optimizer = torch.optim.Adam([*encode.parameters(), *decode.parameters()], lr=0.02, amsgrad=True)
for (x,) in loader:
    x = x.to(device)
    mean, log_variance = encode(x).chunk(2, dim=1)
    code = mean + torch.randn_like(mean) * (log_variance / 2).exp()
    divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum()
    loss = F.binary_cross_entropy_with_logits(decode(code), x, reduction="sum") + 0.5 * divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

PROGRAMS = {
    "mlp": MLP, "conv": CONV, "schedule": SCHEDULE, "average": AVERAGE, "shadow": SHADOW, "accumulate": ACCUMULATE,
    "gan": GAN, "groups": GROUPS, "plateau": PLATEAU, "recurrent": RECURRENT, "frozen": FROZEN, "vae": VAE,
}  # fmt: skip


def text_of(name: str) -> str:
    """A program."""
    return HEAD + PROGRAMS[name]
