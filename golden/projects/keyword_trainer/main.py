import argparse

import torch
from data import make_loader
from trainer import Trainer

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)


def main():
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = make_loader()
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    trainer = Trainer(model=model, optimizer=optimizer, args=args)
    trainer.train(loader)


if __name__ == "__main__":
    main()
