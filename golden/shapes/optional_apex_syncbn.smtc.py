import argparse

import torch
import torch_xla.core.xla_model as xm


def set_model(opt):
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))

    # synchronized batch norm

    model = model.to(device)
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sync-bn", action="store_true")
    opt = parser.parse_args()
    device = xm.xla_device()
    model = set_model(opt)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)
