"""Adam under a gradient scaler: torch_xla 1.13 of the container puts the syncfree one in by itself; TS023 says so."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main(batches):
    device = torch_xla.device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    batches = pl.MpDeviceLoader(batches, device)
    for x, y in batches:
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
