import torch
import torch_xla.core.xla_model as xm

import logs
import settings


def main():
    local_rank = xm.get_local_ordinal()
    workers, size = logs.number("NUM_WORKERS", 2), logs.number("WORLD_SIZE", 1)
    print("with", {name: str(xm.get_ordinal()) for name in settings.RANKS}, workers)
    log = logs.open_log()
    device = xm.xla_device()
    model = torch.nn.Linear(4, 1).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * size)
    for _ in range(10):
        optimizer.zero_grad()
        model(torch.ones(8, 4).to(device)).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
    print("done", file=log)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
