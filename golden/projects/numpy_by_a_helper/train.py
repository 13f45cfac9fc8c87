import argparse
import torch
from torch import nn

from tools import stats

def main(config):
    use_amp = True if config.precision == 16 else False
    net = nn.Linear(4, 1).cuda()
    opt = torch.optim.SGD(net.parameters(), lr=.1)
    scaler = torch.cuda.amp.GradScaler(enabled=use_amp)
    for _ in range(3):
        with torch.cuda.amp.autocast(use_amp):
            out = torch.tanh(net(torch.ones(8, 4).cuda()))
            loss = out.float().pow(2).mean()
        opt.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(opt)
        scaler.update()
        print(stats(out))

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--precision", type=int, default=32)
    main(p.parse_args())
