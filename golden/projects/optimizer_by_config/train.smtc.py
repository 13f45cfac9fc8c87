import argparse
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm

import optimizers
from trainer import Trainer

CONFIG = '{"lr": 0.01, "generator_optimizer": "Adam", "critic_optimizer": "SGD", "step_size": 4}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default=CONFIG)
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()
    config = json.loads(args.config)

    device = xm.xla_device()
    torch.manual_seed(0)
    xm.set_rng_state(0)

    x = torch.randn(64, 4)
    data = TensorDataset(x, x.flip(1))
    loader = DataLoader(
        data,
        batch_size=8,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    model = {"generator": nn.Linear(4, 4).to(device), "critic": nn.Linear(4, 1).to(device)}
    optimizer, scheduler = {}, {}
    for name in model:
        optimizer_class = getattr(optimizers, config[f"{name}_optimizer"])
        optimizer[name] = optimizer_class(model[name].parameters(), lr=config["lr"])
        scheduler_class = getattr(torch.optim.lr_scheduler, config.get("scheduler", "StepLR"))
        scheduler[name] = scheduler_class(optimizer[name], step_size=config["step_size"])

    trainer = Trainer(model, optimizer, scheduler, loader, device)
    trainer.run(2)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
