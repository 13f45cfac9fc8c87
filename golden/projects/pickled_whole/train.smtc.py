"""Networks that are pickled whole and loaded again, in one process, with an optimizer of the program's own."""
import argparse

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

from net import Net, Optim
from stages import begin, continue_from, scores

parser = argparse.ArgumentParser()
parser.add_argument("--save", default="model.pt")
parser.add_argument("--stage", default="first")
args = parser.parse_args()

pretrained = torch.load(args.save, map_location="cpu") if args.stage == "second" else None
device = xm.xla_device()
model = Net(8, 2, pretrained).to(device)
criterion = nn.CrossEntropyLoss().to(device)
optim = Optim(model.parameters())
best = 10000
for epoch in range(begin("run.pt"), 10):
    total = 0
    for step in range(10):
        x, y = torch.randn(16, 4).to(device), torch.randint(0, 2, (16,)).to(device)
        model.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        norm = optim.step()
        xm.mark_step()
        total += loss.item()
    mean, spread = total / 10, torch.rand(())
    print("{:d} {:.4f} {:.4f}".format(epoch, mean, spread))
    if bool(mean < best):
        best = mean
        with open(args.save, "wb") as f:
            torch.save(model, f)
        xm.save({"weights": model.state_dict(), "args": args, "epoch": epoch}, "run.pt")
        xm.save({"weights": model.state_dict(), "number": epoch}, "plain.pt")

with open(args.save, "rb") as f:
    model = torch.load(f, map_location="cpu").to(device)
print(model(torch.randn(16, 4).to(device)).mean().item())
continue_from("plain.pt", model)
print(scores("model.pt"))
