import argparse

import torch
import torch_xla.core.xla_model as xm
from data import make_loader
from trainer import Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)


def main():
    args = parser.parse_args()
    args.device = xm.xla_device()
    loader = make_loader()
    model = torch.nn.Linear(4, 2)
    model.to(args.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    trainer = Trainer(model=model, optimizer=optimizer, args=args)
    trainer.train(loader)


if __name__ == "__main__":
    main()
