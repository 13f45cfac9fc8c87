"""The first batch finds the model unwrapped: what DataParallel did once for all is done before the loop."""
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model, loader, devices):
        self.model, self.loader, self.devices = model, loader, devices
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)

    def train(self):
        for epoch in range(2):
            for x, y in self.loader:
                x, y = x.to(device), y.to(device)
                if len(self.devices) > 1 and not hasattr(self.model, "module"):
                    self.model = nn.DataParallel(self.model, self.devices, self.devices[0])
                loss = F.cross_entropy(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, nargs="+", default=[0])
    args = parser.parse_args()
    model = nn.Linear(4, 4).to(device)
    data = TensorDataset(torch.randn(32, 4), torch.randint(0, 4, (32,)))
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    Trainer(model, loader, args.devices).train()


if __name__ == "__main__":
    main()
