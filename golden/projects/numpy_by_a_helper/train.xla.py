import argparse
import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm

from tools import stats

def main(config):
    use_amp = True if config.precision == 16 else False
    device = torch_xla.device()
    net = nn.Linear(4, 1).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=.1)
    for _ in range(3):
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=use_amp):
            out = torch.tanh(net(torch.ones(8, 4).to(device)))
            loss = out.float().pow(2).mean()
        opt.zero_grad()
        loss.backward()
        xm.optimizer_step(opt, barrier=True)
        print(stats(out))

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--precision", type=int, default=32)
    main(p.parse_args())
