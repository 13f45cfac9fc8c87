"""Adam under a gradient scaler: torch_xla 1.13 of the container puts the syncfree one in by itself; TS023 says so."""
import torch
from torch.cuda.amp import GradScaler, autocast


def main(batches):
    model = torch.nn.Linear(4, 2).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for x, y in batches:
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
