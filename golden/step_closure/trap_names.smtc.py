"""Names that are taken, a dictionary of losses, an f-string that shows its own expression, comments in between."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm


def train(model, dataset, log_step):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def log_step_2(i, box, losses, total):
        print(f"{i=} {box.item():.2f} {box.item()}")
        print(losses)
        print(f"{total.item()=}")

    def log_step_3(i, lr, total):
        print(i, lr, total.item())

    def log_step_4(i, lr, total):
        print(i, lr, total.item())

    for i, (x, y) in enumerate(DataLoader(dataset)):
        losses = model(x.cuda(), y.cuda())
        total = sum(losses.values())
        total.backward()
        optimizer.step()
        # what went in
        # what came out
        xm.add_step_closure(log_step_2, args=(i, losses['box'].detach(), losses, total.detach()))
        if i % 2:
            xm.add_step_closure(log_step_3, args=(i, optimizer.param_groups[0]["lr"], total.detach()))
            xm.add_step_closure(log_step_4, args=(i, optimizer.param_groups[1]["lr"], total.detach()))
