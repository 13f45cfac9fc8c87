import argparse

import torch

try:
    import apex
    from apex import amp, optimizers
except ImportError:
    pass


def set_model(opt):
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))

    # synchronized batch norm
    if opt.sync_bn:
        model = apex.parallel.convert_syncbn_model(model)

    model = model.cuda()
    return model


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sync-bn", action="store_true")
    opt = parser.parse_args()
    model = set_model(opt)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4).cuda()).pow(2).mean()
        loss.backward()
        optimizer.step()
