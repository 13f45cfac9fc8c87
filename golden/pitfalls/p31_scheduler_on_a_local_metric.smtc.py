"""Pitfall 31: each process steps its scheduler with its own validation loss, and gets its own learning rate."""

import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau
import torch_xla.core.xla_model as xm


def main():
    local_rank = xm.get_local_ordinal()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer, patience=1)
    for epoch in range(3):
        for step in range(4):
            loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        with torch.no_grad():
            val_loss = model(torch.randn(8, 4).to(device)).pow(2).mean().item()
        scheduler.step(val_loss)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
