"""A loss averaged over the ranks for the log, in place."""

import torch
import torch.nn as nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def reduce_tensor(tensor):
    rt = tensor.clone()
    xm.all_reduce(xm.REDUCE_SUM, [rt])
    rt /= xr.world_size()
    return rt


def main():
    local_rank = xr.local_ordinal()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def log_step(step, reduced):
        print(step, reduced.item())

    for step in range(10):
        x = torch.randn(8, 4).to(device)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
        if step % 5 == 0:
            reduced = reduce_tensor(loss.detach())
            if xr.global_ordinal() == 0:
                xm.add_step_closure(log_step, args=(step, reduced.detach()))
    torch_xla.sync()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
