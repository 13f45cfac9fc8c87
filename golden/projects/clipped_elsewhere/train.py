"""The gradients of two optimizers are clipped here, and stepped with in updates.py."""
import os

import torch

from updates import Updater


def main():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)).cuda()
    if "WORLD_SIZE" in os.environ:
        torch.distributed.init_process_group("nccl", init_method="env://")
        net = torch.nn.parallel.DistributedDataParallel(net)
    first, second = list(net.parameters())[:2], list(net.parameters())[2:]
    updater = Updater(torch.optim.SGD(first, lr=0.05), torch.optim.Adam(second, lr=0.01))
    generator = torch.Generator().manual_seed(1)
    for step in range(8):
        x = torch.randn(8, 4, generator=generator).cuda()
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        updater.update()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
