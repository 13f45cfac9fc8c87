"""CUDA moves and CUDA mixed precision beside XLA."""
import torch
from torch_xla.amp import GradScaler, autocast, syncfree
import torch_xla.core.xla_model as xm


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = syncfree.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        scaler.step(optimizer)
        scaler.update()
        xm.mark_step()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
