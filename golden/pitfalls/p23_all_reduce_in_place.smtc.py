"""A loss averaged over the ranks for the log, in place."""

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


def reduce_tensor(tensor):
    rt = tensor.clone()
    xm.all_reduce(xm.REDUCE_SUM, [rt])
    rt /= xm.xrt_world_size()
    return rt


def main():
    local_rank = xm.get_local_ordinal()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
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
            if xm.get_ordinal() == 0:
                xm.add_step_closure(log_step, args=(step, reduced.detach()))
    xm.mark_step()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
