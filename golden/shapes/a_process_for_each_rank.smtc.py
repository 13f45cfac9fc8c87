import torch
import torch.multiprocessing as mp
from torch import nn
import torch_xla.core.xla_model as xm


def train(rank, size):
    device = xm.xla_device()
    model = nn.Linear(4, 1).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    xm.set_rng_state(torch.initial_seed())
    for step in range(10):
        loss = model(torch.randn(8, 4, device=device)).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
    if rank == 0:
        print("done", size)


def init_process(rank, size, fn, backend="nccl"):
    fn(rank, size)


if __name__ == "__main__":
    size = torch.cuda.device_count()
    processes = []
    mp.set_start_method("spawn")
    for rank in range(size):
        p = mp.Process(target=init_process, args=(rank, size, train))
        p.start()
        processes.append(p)

    for p in processes:
        p.join()
