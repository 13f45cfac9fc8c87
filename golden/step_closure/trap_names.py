"""Names that are taken, a dictionary of losses, an f-string that shows its own expression, comments in between."""
import torch
from torch.utils.data import DataLoader


def train(model, dataset, log_step):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(DataLoader(dataset)):
        losses = model(x.cuda(), y.cuda())
        total = sum(losses.values())
        total.backward()
        optimizer.step()
        # what went in
        print(f"{i=} {losses['box'].item():.2f} {losses['box'].item()}")
        # what came out
        print(losses)
        print(f"{total.item()=}")
        if i % 2:
            print(i, optimizer.param_groups[0]["lr"], total.item())
            print(i, optimizer.param_groups[1]["lr"], total.item())
