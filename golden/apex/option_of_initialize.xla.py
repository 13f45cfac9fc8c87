import argparse

import torch

has_apex = True

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", dest="use_fp16", action="store_true")
args = parser.parse_args()


def train(net, loader, criterion):
    optim = torch.optim.SGD(net.parameters(), lr=0.1)
    for im, lb in loader:
        optim.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=has_apex and args.use_fp16):
            logits, *others = net(im)
            loss = criterion(logits, lb)
        loss.backward()
        optim.step()


if __name__ == "__main__":
    train(torch.nn.Linear(4, 1).cuda(), [], torch.nn.MSELoss())
