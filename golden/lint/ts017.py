"""CUDA moves and CUDA mixed precision beside XLA."""
import torch
import torch_xla.core.xla_model as xm
from torch.cuda.amp import autocast, GradScaler


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for x, y in batches:
        x, y = x.cuda(), y.to("cuda")
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
