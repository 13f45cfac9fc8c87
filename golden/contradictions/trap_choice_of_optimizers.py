"""One call that may pass either: an option chooses, nobody contradicts."""
import argparse

import torch


def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


parser = argparse.ArgumentParser()
parser.add_argument("--adam", action="store_true")
args = parser.parse_args()
model = torch.nn.Linear(2, 2).cuda()
if args.adam:
    optimizer = torch.optim.Adam(model.parameters())
else:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
update(optimizer, model(torch.ones(2).cuda()).sum())
