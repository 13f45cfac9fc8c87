import argparse

import torch

has_apex = True
try:
    from apex import amp
except ImportError:
    has_apex = False

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", dest="use_fp16", action="store_true")
args = parser.parse_args()


def train(net, loader, criterion):
    optim = torch.optim.SGD(net.parameters(), lr=0.1)
    if has_apex and args.use_fp16:
        net, optim = amp.initialize(net, optim, opt_level="O1")
    for im, lb in loader:
        optim.zero_grad()
        logits, *others = net(im)
        loss = criterion(logits, lb)
        if has_apex:
            with amp.scale_loss(loss, optim) as scaled_loss:
                scaled_loss.backward()
        else:
            loss.backward()
        optim.step()


if __name__ == "__main__":
    train(torch.nn.Linear(4, 1).cuda(), [], torch.nn.MSELoss())
