"""DDP with accumulation under no_sync, and an unwrapped copy for saving."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def main():
    local_rank = xr.local_ordinal()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = nn.Linear(8, 2).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(8):
        boundary = (step + 1) % 4 == 0
        x = torch.randn(4, 8).to(device)
        loss = model(x).pow(2).mean() / 4
        loss.backward()
        if boundary:
            xm.optimizer_step(optimizer, barrier=True)
            optimizer.zero_grad()
    model_to_save = model
    xm.save(model_to_save.state_dict(), "model.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
