import torch
from steps import step_d


def train(net, loader, opt_g, opt_d):
    for x in loader:
        net(x).sum().backward()
        scaler_g.step(opt_g)
        net(x).mean().backward()
        scaler_d.step(opt_d)


def train_elsewhere(net, loader, opt_g, opt_d):
    scaler_g, scaler_d = torch.cuda.amp.GradScaler(), torch.cuda.amp.GradScaler()
    for x in loader:
        net(x).sum().backward()
        scaler_g.step(opt_g)
        step_d(net, x, opt_d, scaler_d)
