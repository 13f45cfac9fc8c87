import argparse
import os

import torch
import torch.nn as nn

from average import Average, Best, Means


class Runner:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")

    def train(self):
        model = nn.Linear(8, 1).to(self.device)
        optimizer = torch.optim.Adam(model.parameters())
        average = Average()
        average.register(model)
        means = Means(model.parameters())
        best = Best(model.parameters())
        if self.args.resume and os.path.exists("ckpt.pth"):
            states = torch.load("ckpt.pth")
            model.load_state_dict(states["model"])
            optimizer.load_state_dict(states["optimizer"])
            average.load_state_dict(states["average"])
            means.restore(states["means"])
            best.load_state_dict(states["best"])
        for step in range(10):
            loss = model(torch.randn(4, 8).to(self.device)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update(model)
            means.update(model.parameters())
            best.update(model.parameters())
        print([value.sum().item() for value in average.shadow.values()], means.count)
        states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "average": average.state_dict()}
        torch.save({**states, "means": means.means, "best": best.state_dict()}, "ckpt.pth")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume", action="store_true")
    Runner(parser.parse_args()).train()
