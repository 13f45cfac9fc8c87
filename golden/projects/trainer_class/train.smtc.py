import random

import torch
import torch_xla.core.xla_model as xm

from config import Config
from data_loader import create_loaders
from factory import build_criterion, build_optimizer, build_scheduler
from model import build_model
from trainer import Trainer


def set_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    xm.set_rng_state(int(seed))


def main(config):
    set_seed(config.seed)
    train_loader, valid_loader = create_loaders(config.data, config.seed)
    model = build_model(config)
    print(model)
    criterion = build_criterion()
    device = xm.xla_device()
    model.to(device)
    optimizer = build_optimizer(config.optim, model)
    scheduler = build_scheduler(config.optim, optimizer)
    trainer = Trainer(
        model,
        criterion,
        optimizer,
        config=config,
        data_loader=train_loader,
        valid_data_loader=valid_loader,
        lr_scheduler=scheduler,
    )
    trainer.train()


if __name__ == "__main__":
    main(Config())
