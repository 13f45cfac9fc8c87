import argparse
import torch
from torch import nn
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, autocast, syncfree

from tools import stats

def main(config):
    use_amp = True if config.precision == 16 else False
    device = xm.xla_device()
    net = nn.Linear(4, 1).to(device)
    opt = syncfree.SGD(net.parameters(), lr=.1)
    scaler = GradScaler(enabled=use_amp)
    for _ in range(3):
        with autocast(enabled=use_amp):
            out = torch.tanh(net(torch.ones(8, 4).to(device)))
            loss = out.float().pow(2).mean()
        opt.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        xm.mark_step()
        print(stats(out))

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--precision", type=int, default=32)
    main(p.parse_args())
