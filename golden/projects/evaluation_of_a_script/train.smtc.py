import torch
import torch.nn as nn
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from dataset import Pairs
from evaluate import evaluate


def main():
    device = xm.xla_device()
    loader = DataLoader(Pairs(), batch_size=8, shuffle=True, collate_fn=Pairs.groups)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    step = 1
    while True:
        for batchs in loader:
            for x, y in batchs:
                loss = nn.functional.mse_loss(model(x), y)
                opt.zero_grad()
                loss.backward()
                xm.optimizer_step(opt, barrier=True)
                if step % 4 == 0:
                    print(evaluate(model))
                if step == 8:
                    quit()
                step += 1


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
