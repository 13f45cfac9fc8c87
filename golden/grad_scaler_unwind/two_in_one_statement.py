import torch
from steps import step_d
from torch.cuda.amp import GradScaler


def train(net, loader, opt_g, opt_d):
    scaler_g, scaler_d = GradScaler(), GradScaler()
    for x in loader:
        scaler_g.scale(net(x).sum()).backward()
        scaler_g.step(opt_g)
        scaler_g.update()
        scaler_d.scale(net(x).mean()).backward()
        scaler_d.step(opt_d)
        scaler_d.update()


def train_elsewhere(net, loader, opt_g, opt_d):
    scaler_g, scaler_d = torch.cuda.amp.GradScaler(), torch.cuda.amp.GradScaler()
    for x in loader:
        scaler_g.scale(net(x).sum()).backward()
        scaler_g.step(opt_g)
        scaler_g.update()
        step_d(net, x, opt_d, scaler_d)
