import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from data import Data, make_loader
from trainer import Trainer


def warm_up(model, optimizer, parts):
    device = torch_xla.device()
    for epoch in range(2):
        for part in parts:
            part.sampler.set_epoch(epoch)
            for x, y in pl.MpDeviceLoader(part, device):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                xm.optimizer_step(optimizer)


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    data = Data()
    device = torch_xla.device()
    model = nn.Linear(4, 3).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm_up(model, optimizer, data.parts)
    trainer = Trainer(model, optimizer, data.labelled, make_loader(4, batch_size=2))
    for epoch in range(3):
        data.labelled.sampler.set_epoch(epoch)
        loss = trainer.train_epoch()
        print(f"epoch {epoch}: {loss.item():.4f}")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
